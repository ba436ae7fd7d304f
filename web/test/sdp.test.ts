import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answerOf, candidatesOf, drawUfrag, nextUfrag, sideOf } from '../src/net/sdp';

const at = { ip: '192.0.2.1', port: 4747, fingerprint: `-_${'A'.repeat(41)}` };

test('the fragment names the node, in ICE characters', () => {
  const ufrag = drawUfrag(at, (b) => b.fill(0));
  assert.equal(ufrag, `vp1++/${'A'.repeat(14)}${'A'.repeat(24)}`);
});

test('after an ICE restart the fragment is another one that names the same connection', () => {
  const ufrag = drawUfrag(at, (b) => b.fill(0));
  assert.equal(nextUfrag(ufrag, (b) => b.fill(1)), `${ufrag}BBBB`);
});

test('of what a node says only addresses become candidates, and they come before the one of the link', () => {
  const found = candidatesOf(['198.51.100.7:4747', '[2001:db8::1]:4748', 'x.local:1', '1.2.3.4:5\r\na=x', 7, null]);
  assert.deepEqual(found, ['candidate:2 1 udp 2130706431 198.51.100.7 4747 typ host', 'candidate:3 1 udp 2130706430 2001:db8::1 4748 typ host']);
  assert.deepEqual(candidatesOf('1.2.3.4:5'), []);
  assert.equal(candidatesOf(Array.from({ length: 100 }, () => '198.51.100.7:4747')).length, 8);
  assert.match(answerOf(at, 'u', found), /a=candidate:1 1 udp 1 192\.0\.2\.1 4747 typ host\r\na=candidate:2 /);
});

test('the own side is read of the description', () => {
  assert.deepEqual(sideOf('v=0\r\na=ice-ufrag:ab+c\r\na=ice-pwd:0123\r\n'), { ufrag: 'ab+c', pwd: '0123' });
  assert.equal(sideOf('v=0\r\n'), null);
});
