/** 12,345 */
export const inFigures = (count: number): string =>
  String(count).replace(/\B(?=(?:\d{3})+$)/g, ",");

/** "1 item", "2 items". */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${inFigures(count)} ${count === 1 ? one : many}`;
