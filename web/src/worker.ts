// Entry of the world worker: decoding, light and meshes off the main thread.

import type { ToWorker } from './world/protocol';
import { WorldServer } from './world/server';

interface WorkerScope {
  onmessage: ((e: MessageEvent<ToWorker>) => void) | null;
  postMessage(m: unknown, transfer: Transferable[]): void;
}
const scope = self as unknown as WorkerScope;

const server = new WorldServer(
  (m, transfer) => scope.postMessage(m, transfer as Transferable[]),
  () => performance.now(),
);

// A message to ourselves lets waiting messages in between two pieces of work.
const { port1, port2 } = new MessageChannel();
let working = false;

function work(): void {
  working = server.step();
  if (working) port2.postMessage(0);
}
port1.onmessage = work;

scope.onmessage = (e) => {
  server.receive(e.data);
  // While columns pour in, the nearest are meshed between them.
  if (e.data.t === 'column') server.step();
  if (!working) {
    working = true;
    port2.postMessage(0);
  }
};
scope.postMessage({ t: 'begun' }, []);
