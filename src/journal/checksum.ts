/**
 * 53 bits over the UTF-16 units of a text, as 14 hexadecimal digits. It finds every change that happens by accident; it
 * is no signature, and withstands nobody who means to deceive. (Two multiply-and-rotate lanes, after cyrb53.)
 */
export function checksum(text: string): string {
  let [high, low] = [0xdeadbeef, 0x41c6ce57];
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    high = Math.imul(high ^ unit, 0x9e3779b1);
    low = Math.imul(low ^ unit, 0x5f356495);
  }
  high = Math.imul(high ^ (high >>> 16), 0x85ebca6b) ^ Math.imul(low ^ (low >>> 13), 0xc2b2ae35);
  low = Math.imul(low ^ (low >>> 16), 0x85ebca6b) ^ Math.imul(high ^ (high >>> 13), 0xc2b2ae35);
  return (2 ** 32 * (0x1fffff & low) + (high >>> 0)).toString(16).padStart(14, "0");
}
