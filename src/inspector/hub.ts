import type { FromPage, ToPage } from "./protocol.ts";

/** What a server hands its pages to: each page that connects is told all there is, and what comes. */
export interface Hub {
  /** `send` never throws and never waits; the first message is sent before this returns. */
  connect(send: (message: ToPage) => void): PageLink;
}

/** One page. */
export interface PageLink {
  receive(message: FromPage): void;
  /** The page is gone. */
  leave(): void;
}
