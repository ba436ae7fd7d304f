package machine

// Relayer is an Env that knows which of its links pass over a relay: another node, which
// gives a small part of its line for them.
type Relayer interface {
	Relayed(to Peer) bool
}

// Relayed reports whether the link to a peer passes over a relay now. What can be left
// out is not sent over one.
func Relayed(env Env, to Peer) bool {
	r, ok := env.(Relayer)
	return ok && r.Relayed(to)
}
