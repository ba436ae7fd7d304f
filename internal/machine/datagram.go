package machine

// Datagram is a message that travels without a link: it may be lost, and
// datagrams may overtake each other. Everything else needs a link (Env.Open).
type Datagram interface{ Datagram() }
