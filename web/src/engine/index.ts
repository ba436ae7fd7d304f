// The engine's public face.
export { Engine, defaultOptions } from './engine';
export { UNKNOWN } from './store';
export type * from './types';
export { HOSTILE, modelOf } from './beasts';
