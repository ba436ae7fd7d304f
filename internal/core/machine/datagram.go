package machine

// Datagram is a message that travels without a link: it may be lost, and
// datagrams may overtake each other. Everything else needs a link (Env.Open).
type Datagram interface{ Datagram() }

// Fresh is a datagram that a driver sends in a session of its own, begun for it: it
// comes to who is there now, and shows that a stranger would have come there, too.
type Fresh interface {
	Datagram
	Fresh()
}

// Question is a datagram that asks for what its receiver tells anybody. A driver
// may send it with the first packet to a stranger, where onlookers can read it;
// then its answer comes before the receiver knows who has asked (Answerer).
type Question interface {
	Datagram
	// Open reports whether it may travel so.
	Open() bool
	// Asked is what the receiver's OnMessage is given once it is known who has
	// asked a question that it has answered: the same, marked as that.
	Asked() Message
}

// Answerer is a machine that answers questions of those who have not shown yet
// who they are. nil: this one not; it comes again when they have.
type Answerer interface {
	Answer(q Question) Message
}

// Quick is a message of a link that may be one of many small ones, as frames
// and inputs are. While it reports true a driver may send it a cheaper way than
// those that are long, and computes with it on the machine's own time. That it
// arrives, once and in its turn, is promised as for all others.
type Quick interface{ Quick() bool }

// IsQuick reports whether a message is Quick.
func IsQuick(m Message) bool {
	q, ok := m.(Quick)
	return ok && q.Quick()
}

// MaxQuick is about how many bytes a message has at most that is Quick, where
// its size says so: with what goes around it, it is one packet.
const MaxQuick = 1000
