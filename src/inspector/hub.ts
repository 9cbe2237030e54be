import type { FromPage, ToPage } from "./protocol.ts";

/** What a server hands its connections to: each is told all there is, and what comes. */
export interface Hub {
  /** `send` never throws and never waits. The first message is sent before this returns. */
  connectPage(send: (message: ToPage) => void): PageLink;
  /** A receiver of `@statelyai/inspect`: it is told events of that package's protocol, and says nothing. */
  connectReceiver(send: (event: object) => void): { leave(): void };
}

/** One page. */
export interface PageLink {
  receive(message: FromPage): void;
  /** The page is gone. */
  leave(): void;
}
