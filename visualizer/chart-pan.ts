/** A part of a drawing, in its own units. */
export interface Frame {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** The size on screen of what a drawing is seen through, in pixels. */
export interface Size {
  width: number;
  height: number;
}

const SCALE_MIN = 0.1;
const SCALE_MAX = 4;

/** The frame that shows all of a drawing in its middle, at most at this scale. */
export function fitted(all: Frame, size: Size, scaleMax: number): Frame {
  const scale = Math.min(size.width / all.width, size.height / all.height, scaleMax);
  return centred({ x: all.x + all.width / 2, y: all.y + all.height / 2 }, size, scale);
}

/** The frame around a point, at a scale in pixels for one unit. */
export function centred(middle: { x: number; y: number }, size: Size, scale: number): Frame {
  const [width, height] = [size.width / scale, size.height / scale];
  return { x: middle.x - width / 2, y: middle.y - height / 2, width, height };
}

/** The same frame nearer or farther, what is below a point on the screen staying there. */
export function zoomed(frame: Frame, size: Size, by: number, at: { x: number; y: number }): Frame {
  const scale = size.width / frame.width;
  const factor = Math.min(SCALE_MAX, Math.max(SCALE_MIN, scale * by)) / scale;
  const [width, height] = [frame.width / factor, frame.height / factor];
  return {
    x: frame.x + (at.x / size.width) * (frame.width - width),
    y: frame.y + (at.y / size.height) * (frame.height - height),
    width,
    height,
  };
}

/** The frame moved by so many pixels on the screen. */
export const moved = (frame: Frame, size: Size, by: { x: number; y: number }): Frame => ({
  ...frame,
  x: frame.x - (by.x * frame.width) / size.width,
  y: frame.y - (by.y * frame.height) / size.height,
});

/** The frame moved just so far that a box is in it with some room; the same one where it is already. */
export const showing = (frame: Frame, box: Frame): Frame => ({
  ...frame,
  x: along({ start: frame.x, length: frame.width }, { start: box.x, length: box.width }),
  y: along({ start: frame.y, length: frame.height }, { start: box.y, length: box.height }),
});

const ROOM = 24;

interface Span {
  start: number;
  length: number;
}

function along(seen: Span, wanted: Span): number {
  if (wanted.length > seen.length) return wanted.start;
  const room = Math.min(ROOM, (seen.length - wanted.length) / 2);
  const least = wanted.start + wanted.length + room - seen.length;
  return Math.min(Math.max(seen.start, least), wanted.start - room);
}
