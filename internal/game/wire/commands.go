package wire

import "github.com/tinylib/msgp/msgp"

// Bounds of a Commands message.
const (
	maxCommands = 256
	maxArgs     = 16
)

// Command is a slash command that the player may use.
type Command struct {
	Name string `json:"name"` // without the slash
	// Args says for each argument what may stand there, alternatives split by
	// "|": a word, or one of <player>, <known player>, <player id>, <block>,
	// <command>, <number>, <text>. A client completes from it; it is no grammar.
	Args []string `json:"args"`
	Help string   `json:"help"` // one line for a person
}

// Commands lists what the player may type after a slash.
type Commands struct {
	List []Command `json:"list"`
}

// Type is the message's first byte.
func (*Commands) Type() Type { return TypeCommands }

func (m *Commands) append(b []byte) []byte {
	b = msgp.AppendArrayHeader(b, 1)
	b = msgp.AppendArrayHeader(b, uint32(len(m.List)))
	for i := range m.List {
		c := &m.List[i]
		b = msgp.AppendArrayHeader(b, 3)
		b = msgp.AppendString(b, c.Name)
		b = msgp.AppendArrayHeader(b, uint32(len(c.Args)))
		for _, a := range c.Args {
			b = msgp.AppendString(b, a)
		}
		b = msgp.AppendString(b, c.Help)
	}
	return b
}

func (m *Commands) read(r *reader) {
	r.fields(1)
	m.List = m.List[:0]
	for range r.array(maxCommands) {
		r.tuple(3)
		c := Command{Name: r.str(maxLabel), Args: []string{}}
		for range r.array(maxArgs) {
			c.Args = append(c.Args, r.str(maxLabel))
		}
		c.Help = r.str(maxLine)
		if r.err != nil {
			return
		}
		m.List = append(m.List, c)
	}
}
