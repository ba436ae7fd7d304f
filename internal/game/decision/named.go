package decision

// Orders that players give about themselves. The Text of all but ListHomes is the name of
// a place.
const (
	SetHome   OrderKind = iota + Restore + 1 // where it stands is a home of its
	ToHome                                   // to a home
	DelHome                                  // forgets a home
	ToWarp                                   // to a place that operators have named
	ListHomes                                // tells it which homes it has
)

var namedVerbs = map[OrderKind]string{SetHome: "sethome", ToHome: "home", DelHome: "delhome", ToWarp: "warp"}

// UsualHome is the home of who names none.
const UsualHome = "home"

// toNamed reports whether an order is about a place with a name.
func (o *Order) toNamed() bool { return o.Kind >= SetHome && o.Kind <= ToWarp }

// ofPlayer reports whether players order that for themselves.
func (o *Order) ofPlayer() bool { return o.Kind == Spawn || o.toNamed() || o.Kind == ListHomes }

// namedAskedBy reports whether what was typed asks for an order about a place with a name.
func (o *Order) namedAskedBy(verb string, args []string) bool {
	return verb == namedVerbs[o.Kind] && len(args) < 2 && append(args, UsualHome)[0] == o.Text
}
