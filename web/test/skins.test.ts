import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isSkinFile, skinOf } from '../src/ui/skinFile';
import { packSkin, pixelsOf, validSkin } from '../src/world/skin';

const PIXELS = 1632;

test('pixels come back, of at most 64 colours', () => {
  const few = Array.from({ length: PIXELS }, (_, i) => (i % 5) * 0x301010);
  assert.deepEqual(pixelsOf(packSkin(few)), few);
  const many = Array.from({ length: PIXELS }, (_, i) => (i * 2654435761) & 0xffffff);
  const packed = packSkin(many);
  assert.ok(validSkin(packed));
  assert.equal(packed.length, 2 + 3 * packed[1]! + PIXELS);
  pixelsOf(packed).forEach((c, i) => {
    for (const s of [0, 8, 16]) assert.ok(Math.abs(((c >> s) & 255) - ((many[i]! >> s) & 255)) < 64);
  });
});

test('only skins are taken from a node', () => {
  const good = packSkin(Array.from({ length: PIXELS }, () => 0x102030));
  assert.ok(validSkin(good) && validSkin(new Uint8Array()) && validSkin(Uint8Array.of(7)));
  const index = good.slice();
  index[index.length - 1] = 1;
  for (const bad of [Uint8Array.of(0), good.subarray(1), good.subarray(0, -1), index, new Uint8Array(1826)]) assert.ok(!validSkin(bad));
});

test('a file is looked at before it is decoded', () => {
  const head = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52, 0, 0, 0, 64, 0, 0, 0, 64, 8, 6, 0, 0, 0, 0, 0, 0, 0];
  const file = (change: (b: Uint8Array) => void, size = head.length): Uint8Array => {
    const b = new Uint8Array(size);
    b.set(head);
    change(b);
    return b;
  };
  assert.ok(isSkinFile(file(() => {})));
  assert.ok(!isSkinFile(file((b) => { b[18] = 255; }))); // wide
  assert.ok(!isSkinFile(file((b) => { b[23] = 32; }))); // flat
  assert.ok(!isSkinFile(file((b) => { b[0] = 0; })));
  assert.ok(!isSkinFile(file(() => {}, 65 * 1024)));
  assert.ok(!isSkinFile(new Uint8Array(20)));
});

test('the second layer lies over the first, and faces are where the figure has them', () => {
  const rgba = new Uint8Array(64 * 64 * 4);
  const set = (x: number, y: number, c: number): void => { rgba.set([c, 0, 0, 255], (y * 64 + x) * 4); };
  set(8, 8, 1); // the front of the head begins
  set(24, 8, 2); // its back
  set(40, 9, 3); // the second layer of its front, a row below
  set(15, 7, 4); // the front left of its top
  const got = pixelsOf(skinOf(rgba)).map((c) => c >> 16);
  assert.equal(got[0], 1);
  assert.equal(got[64], 2);
  assert.equal(got[8], 3);
  assert.equal(got[4 * 64], 4);
  assert.equal(got.length, PIXELS);
});
