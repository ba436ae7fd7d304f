package client

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/decision"
	typed "github.com/voxelpopuli/voxelpopuli/internal/game/line"
	"github.com/voxelpopuli/voxelpopuli/internal/game/lobby"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
	"github.com/voxelpopuli/voxelpopuli/internal/net/transport"
)

// Event is something that a console is told.
type Event struct {
	Event  string    `json:"event"` // here, join, leave, chat, death, news, reply or error
	Time   time.Time `json:"time"`
	Player string    `json:"player,omitempty"` // the name of whom it is about
	ID     string    `json:"id,omitempty"`     // and the id
	Line   string    `json:"line"`             // as a person reads it
}

// Console is a session that is not in the world (lobby.Enter, Console): it hears what
// everybody is told, speaks and commands with the rights of its key. One goroutine calls
// Next; Say and Close may be called by anybody.
type Console struct {
	node  *Node
	who   Identity
	link  *transport.Link
	hello lobby.Enter
	typed typedLines

	mu       sync.Mutex // guards what follows
	in       bool       // the lobby's host has told who is here: it hears lines
	waiting  []string   // lines until then
	said     saidLines
	lineTick uint64 // of the last line

	// replies are answers to commands that this machine runs itself.
	replies chan Event
	known   map[id.ID]string // who is here
	queue   []Event
	over    error
}

// Console opens a console with a key, whose name does not matter.
func (n *Node) Console(who Identity) (*Console, error) {
	c := n.Challenge()
	login, err := n.Check(who.hello(), c, who.Prove(c, inProcess), inProcess)
	if err != nil {
		return nil, err
	}
	var link id.ID
	rand.Read(link[:])
	k, err := n.cfg.Node.Dial(link)
	if err != nil {
		return nil, fmt.Errorf("link to the node: %w", err)
	}
	out := &Console{
		node: n, who: who, link: k, known: map[id.ID]string{}, replies: make(chan Event, maxReplies),
		hello: lobby.Enter{Player: login.Player, Name: who.Name, Pass: login.Pass, Invitation: n.invitation(login), Console: true},
	}
	return out, k.Send(&out.hello)
}

// maxReplies is how many answers wait for Next. Who reads none misses what comes after.
const maxReplies = 64

// Close ends the console.
func (c *Console) Close() { c.link.Close() }

// Say says a line to everybody; one that begins with a slash is a command.
func (c *Console) Say(line string) error {
	if words := strings.Fields(strings.TrimPrefix(line, "/")); c.node.cfg.Command != nil && strings.HasPrefix(line, "/") {
		if answer, mine := c.node.cfg.Command(c.who.Player(), words); mine {
			select {
			case c.replies <- now(Event{Event: "reply", Line: answer}):
			default:
			}
			return nil
		}
	}
	c.typed.add(line)
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.in:
		return c.send(line)
	case len(c.waiting) >= maxReplies:
		return fmt.Errorf("the world has not let this console in yet: %d lines wait already", len(c.waiting))
	}
	c.waiting = append(c.waiting, line)
	return nil
}

// send sends a line to the host of the lobby that has let the console in.
func (c *Console) send(line string) error {
	say := c.sign(line)
	c.said.add(wire.CleanText(line), say)
	return c.link.Send(say)
}

// sign signs a line with the console's key.
func (c *Console) sign(line string) *lobby.Say {
	c.lineTick = max(c.lineTick+1, c.node.tick())
	s := &typed.Signature{Key: [32]byte(c.who.Public()), Name: decision.Console, Tick: c.lineTick}
	s.Sig = [64]byte(ed25519.Sign(c.who.Key, wire.LineText(c.node.cfg.World, s.Tick, s.Name, line)))
	return &lobby.Say{Text: line, Signed: s}
}

// Next waits for the next event. If the world has ended the console and said why, the
// error is a *wire.Refused.
func (c *Console) Next(ctx context.Context) (Event, error) {
	for len(c.queue) == 0 {
		if c.over != nil {
			return Event{}, c.over
		}
		select {
		case <-c.link.Ready():
		case e := <-c.replies:
			return e, nil
		case <-ctx.Done():
			return Event{}, ctx.Err()
		}
		list, err := c.link.Take(nil)
		for _, m := range list {
			c.receive(m)
		}
		if err != nil && c.over == nil {
			c.over = err
		}
	}
	e := c.queue[0]
	c.queue = c.queue[1:]
	return e, nil
}

func (c *Console) add(e Event) { c.queue = append(c.queue, now(e)) }

func now(e Event) Event {
	e.Time = time.Now().UTC().Truncate(time.Millisecond)
	return e
}

func (c *Console) receive(m machine.Message) {
	switch m := m.(type) {
	case *lobby.Players:
		if m.Full { // the answer to Enter
			c.enter()
		}
		c.onPlayers(m)
	case *lobby.Chat:
		c.mu.Lock()
		c.said.answered(m, "", decision.Console+" ")
		c.mu.Unlock()
		c.onChat(m)
	case *lobby.Propose:
		c.onPropose(m)
	case *lobby.NewHost:
		c.mu.Lock()
		c.in = false
		c.mu.Unlock()
		_ = c.link.Send(&c.hello) // a link that is gone ends the console
	case *lobby.Refused:
		c.over = &wire.Refused{Code: m.Code, Text: textOf(m.Text, string(m.Code)), Retry: m.Retry}
	case *lobby.Waiting:
		c.add(Event{Event: "error", Line: waitNotice(m, time.Now()).Text})
	}
}

// enter says what a host of the lobby may have taken with it, and what has waited for one.
func (c *Console) enter() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.in {
		return
	}
	c.in = true
	c.said.repeat(
		func(line *lobby.Say) { _ = c.link.Send(line) },
		func(text string) { c.add(Event{Event: "error", Line: text}) },
	)
	for _, line := range c.waiting {
		_ = c.send(line) // a link that is gone ends the console
	}
	c.waiting = nil
}

// onPlayers tells who came and went.
func (c *Console) onPlayers(m *lobby.Players) {
	c.node.names.see(m.List)
	here := map[id.ID]bool{}
	for _, p := range m.List {
		was, known := c.known[p.Player]
		here[p.Player] = p.Present
		switch {
		case p.Present && m.Full && !known:
			c.add(Event{Event: "here", Player: p.Name, ID: p.Player.String(), Line: p.Name + " is here."})
		case p.Present && !known:
			c.add(Event{Event: "join", Player: p.Name, ID: p.Player.String(), Line: p.Name + " has come."})
		case !p.Present && known:
			c.left(p.Player, was)
		}
		if p.Present {
			c.known[p.Player] = p.Name
		}
	}
	for who, name := range c.known {
		if m.Full && !here[who] {
			c.left(who, name)
		}
	}
}

func (c *Console) left(who id.ID, name string) {
	delete(c.known, who)
	c.add(Event{Event: "leave", Player: name, ID: who.String(), Line: name + " has left."})
}

func (c *Console) onChat(m *lobby.Chat) {
	e := Event{Event: "news", Player: m.From, Line: m.Text}
	switch {
	case m.Kind == wire.ChatWorld:
		e.Event, e.Line = "chat", "<"+m.From+"> "+m.Text
	case m.Kind == wire.ChatError:
		e.Event = "error"
	case m.Kind == wire.ChatSystem && m.From != "":
		e.Event = "death"
	}
	for who, name := range c.known {
		if name == m.From {
			e.ID = who.String()
		}
	}
	c.add(e)
}

// onPropose signs what was typed here.
func (c *Console) onPropose(m *lobby.Propose) {
	name, subject, err := decision.About(m.Statement)
	if err != nil {
		return
	}
	if !subject.IsZero() && c.node.names.contradicts(name, subject) {
		c.add(Event{Event: "error", Line: "Nothing was signed: the host of the lobby means another player than the one whom this node has seen as " + name + "."})
		return
	}
	if signed := c.typed.sign(c.who, m.Statement); signed != nil {
		_ = c.link.Send(&lobby.Signed{Statement: signed})
	}
}
