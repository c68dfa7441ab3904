/** Opens what `mha/views/component_data.py` sealed: a JSON header and typed arrays in one block of bytes. */

const TYPES = { uint8: Uint8Array, uint16: Uint16Array, float32: Float32Array };

/**
 * @param {Uint8Array} bytes a view that may start anywhere in a frame, so it is copied before typed arrays are made
 * @returns {{header: any, arrays: Object<string, {data: any, shape: number[]}>}}
 */
export function openEnvelope(bytes) {
  const copy = new Uint8Array(bytes);
  const start = 4 + new DataView(copy.buffer).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(copy.subarray(4, start)));
  /** @type {Object<string, {data: any, shape: number[]}>} */
  const arrays = {};
  for (const { name, dtype, shape, offset } of header.arrays) {
    const count = shape.reduce((product, length) => product * length, 1);
    arrays[name] = { data: new TYPES[dtype](copy.buffer, start + offset, count), shape };
  }
  return { header, arrays };
}

/** One of the parts along an array's first axes: what is left of it has the last `axes`. @param {{data: any, shape: number[]}} array */
export function partOf({ data, shape }, index, axes) {
  const size = shape.slice(-axes).reduce((product, length) => product * length, 1);
  return data.subarray(index * size, (index + 1) * size);
}

/** The weight that a byte stands for: bytes carry square roots, colour and width are linear in the weight. */
export function weightOf(root) {
  return (root / 255) ** 2;
}
