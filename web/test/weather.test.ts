import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rain, raining, seedOf } from '../src/game/weather';

// As internal/game/world/weather_test.go has it.
const KNOWN = {
  '1': '.r....r.........r.......r..........r....',
  '1099511627776': '...r.......r.rr....rr.r.................',
  '4294967295': '..r...r......r.....rr...r.r...r......r..',
};

test('the weather is that of the node', () => {
  for (const [seed, want] of Object.entries(KNOWN)) {
    assert.equal(Array.from({ length: 40 }, (_, span) => (raining(seedOf(seed), span * 6000 + 17) ? 'r' : '.')).join(''), want);
  }
});

test('rain comes and goes little by little', () => {
  assert.equal(rain(seedOf('1'), 5999), 0);
  assert.equal(rain(seedOf('1'), 6000 + 80), 0.5);
  assert.equal(rain(seedOf('1'), 9000), 1);
  assert.equal(rain(seedOf('1'), 12000 - 40), 0.25);
  assert.equal(rain(seedOf('4294967295'), 20 * 6000), 1); // it has rained before
});

test('a seed may be a text', () => {
  assert.equal(seedOf('mountain lake'), -394896998);
  assert.equal(seedOf('-5'), -5);
});
