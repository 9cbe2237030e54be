/** A part of the page. `update` shows what the store holds now; it is called once a frame at most, after a change. */
export interface Panel {
  element: HTMLElement;
  update: () => void;
}
