import { HEAD, policyFor, type Page } from "./page.ts";

const STATELY = "https://stately.ai";

const style = `*{box-sizing:border-box;margin:0}
html,body{height:100%}
body{display:flex;flex-direction:column;font:14px/1.45 system-ui,sans-serif}
p{padding:8px 16px}
iframe{flex:1;width:100%;border:0}`;

// The socket is opened once the frame listens, and again whenever it has been loaded again: each receiver is told all.
const script = `"use strict";
const frame = document.getElementById("stately");
const state = document.getElementById("state");
const address = new URL("xstate", location.href);
address.protocol = "ws:";
let socket = null;
addEventListener("message", ({ source, origin, data }) => {
  if (source !== frame.contentWindow || origin !== "${STATELY}") return;
  if (!data || data.type !== "@statelyai.connected") return;
  if (socket) socket.onmessage = socket.onclose = null, socket.close();
  socket = new WebSocket(address);
  socket.onmessage = ({ data }) => frame.contentWindow.postMessage(JSON.parse(data), "${STATELY}");
  socket.onclose = () => { state.textContent = "The process is gone. What it said until then is shown below."; };
  state.textContent = "What this process does is sent to ${STATELY}, which shows it below.";
});
frame.src = "${STATELY}/inspect";`;

/** Stately's own inspector in a frame, fed from the socket `xstate` beside this page. It is the one page that needs a network. */
export const statelyPage: Page = {
  html: `${HEAD}
<title>broharness at Stately</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<p id="state" role="status">Waiting for ${STATELY} to load. It needs the network.</p>
<iframe id="stately" title="Stately inspector" referrerpolicy="no-referrer" sandbox="allow-scripts allow-same-origin allow-popups allow-forms"></iframe>
<script>${script}</script>
</body>
</html>
`,
  policy: [...policyFor(script, style), `frame-src ${STATELY}`],
};
