package attack

import (
	"fmt"
	"slices"
	"strings"
)

// Ways are the ways in which a gang attacks.
type Ways struct {
	// Claim: who gets an areacast before it has begun to spread answers for the
	// whole area and does not pass it on.
	Claim bool
	// Parts: who gets it in its place tampers with T, or spoils the zone's result.
	Parts bool
	// Actions: nobody has done anything, says who is asked or is passed by.
	Actions bool
	// Stores: actions of honest players are dropped, and in the hardened protocol
	// their batches, for which no receipts are given then.
	Stores bool
	// Tables: all requests for routing tables are answered (6.3.4).
	Tables bool

	// What follows is not the thesis'. It aims at the hardened protocol.

	// Chorus: as soon as one member hears a retrieval, all of them claim its area,
	// wherever they stand.
	Chorus bool
	// Views: answers name a neighbour that does not exist, whose answer is waited
	// for. It is a false view at the wrong moment.
	Views bool
	// Swap: the digests in answers are right, the cells that are sent are not.
	Swap bool
	// Lazy: members send the digests of others and have nothing themselves.
	Lazy bool
	// Forge: who is asked what a player has done, or passed by, says "nothing", with
	// receipts of members.
	Forge bool
	// Shout: the same, told to every node that is about to ask.
	Shout bool
	// Silence: members answer and give receipts until it matters, and then nothing.
	Silence bool
	// Twice: the players of members sign two batches for each interval.
	Twice bool
	// Late: they deposit their batches around t^a.
	Late bool
	// Push: what members hand over to newcomers, or when they leave, is tampered with.
	Push bool
	// Peers: who asks whom they know hears of members alone.
	Peers bool
	// Wake: nobody who was woken is woken here.
	Wake bool
	// Leave: all members leave at once while a state is voted on.
	Leave bool
	// Adaptive: members answer nothing where their silence leaves no majority.
	Adaptive bool
	// Chosen: a certificate for what a member's player has done is shown to some readers.
	Chosen bool
	// Guess: answers are tampered with and called a guess.
	Guess bool
	// Eclipse: who joins by way of a member does not get its place.
	Eclipse bool
	// Join: the members come in all at once, while the world goes on.
	Join bool
	// Delay: what goes through a member or is asked of it takes nearly l_max, or more.
	Delay bool
	// Flood: members ask for all that anybody gives them, again and again.
	Flood bool
	// Digests: they ask all for all digests and for the names of all who sleep.
	Digests bool
	// Batches: their players sign batch after batch, and deposit them everywhere.
	Batches bool
	// Crowd: they send all that they are linked to messages of the overlay.
	Crowd bool
	// Names: their views name members only.
	Names bool
	// Rouse: who sleeps was woken, they say.
	Rouse bool
	// Places: the members' places are the best of a thousand certificates.
	Places bool
}

// deniesActions reports whether questions for actions are answered with a lie.
func (w *Ways) deniesActions() bool { return w.Actions || w.Forge || w.Shout }

// Thesis are the ways of the thesis' attackers.
var Thesis = Ways{Claim: true, Parts: true, Actions: true, Stores: true, Tables: true}

var ways = []struct {
	name string
	of   func(*Ways) *bool
}{
	{"claim", func(w *Ways) *bool { return &w.Claim }},
	{"parts", func(w *Ways) *bool { return &w.Parts }},
	{"actions", func(w *Ways) *bool { return &w.Actions }},
	{"stores", func(w *Ways) *bool { return &w.Stores }},
	{"tables", func(w *Ways) *bool { return &w.Tables }},
	{"chorus", func(w *Ways) *bool { return &w.Chorus }},
	{"views", func(w *Ways) *bool { return &w.Views }},
	{"swap", func(w *Ways) *bool { return &w.Swap }},
	{"lazy", func(w *Ways) *bool { return &w.Lazy }},
	{"forge", func(w *Ways) *bool { return &w.Forge }},
	{"shout", func(w *Ways) *bool { return &w.Shout }},
	{"silence", func(w *Ways) *bool { return &w.Silence }},
	{"twice", func(w *Ways) *bool { return &w.Twice }},
	{"late", func(w *Ways) *bool { return &w.Late }},
	{"push", func(w *Ways) *bool { return &w.Push }},
	{"peers", func(w *Ways) *bool { return &w.Peers }},
	{"wake", func(w *Ways) *bool { return &w.Wake }},
	{"leave", func(w *Ways) *bool { return &w.Leave }},
	{"adaptive", func(w *Ways) *bool { return &w.Adaptive }},
	{"chosen", func(w *Ways) *bool { return &w.Chosen }},
	{"guess", func(w *Ways) *bool { return &w.Guess }},
	{"eclipse", func(w *Ways) *bool { return &w.Eclipse }},
	{"join", func(w *Ways) *bool { return &w.Join }},
	{"delay", func(w *Ways) *bool { return &w.Delay }},
	{"flood", func(w *Ways) *bool { return &w.Flood }},
	{"digests", func(w *Ways) *bool { return &w.Digests }},
	{"batches", func(w *Ways) *bool { return &w.Batches }},
	{"crowd", func(w *Ways) *bool { return &w.Crowd }},
	{"names", func(w *Ways) *bool { return &w.Names }},
	{"rouse", func(w *Ways) *bool { return &w.Rouse }},
	{"places", func(w *Ways) *bool { return &w.Places }},
}

// ParseWays reads ways with a + between them; "thesis" are the thesis'.
func ParseWays(text string) (w Ways, err error) {
	for name := range strings.SplitSeq(text, "+") {
		if name == "thesis" {
			for _, k := range ways {
				*k.of(&w) = *k.of(&w) || *k.of(&Thesis)
			}
			continue
		}
		i := slices.IndexFunc(ways, func(k struct {
			name string
			of   func(*Ways) *bool
		}) bool {
			return k.name == name
		})
		if i < 0 {
			return w, fmt.Errorf("no way to attack is called %q: there are thesis, %s", name, Names())
		}
		*ways[i].of(&w) = true
	}
	return w, nil
}

// Names lists all ways.
func Names() string {
	var names []string
	for _, k := range ways {
		names = append(names, k.name)
	}
	return strings.Join(names, ", ")
}
