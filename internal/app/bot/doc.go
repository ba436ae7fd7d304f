// Package bot is the test agents: players without a person, through the same
// client library that everybody else uses (dissertation 3.4.3). They wander,
// build small houses, dig tunnels or crowd together, and count what they get:
// `voxelpopuli bots`, the lab's loads and the soak run them.
//
// All bots of a run share one copy of the blocks and a few goroutines that
// steer them, so that a thousand of them fit beside the node that they play on.
package bot
