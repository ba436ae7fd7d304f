package transport

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// query is a question; those that begin with a capital are not open.
type query string

func (query) Datagram()                {}
func (q query) Open() bool             { return q[0] >= 'a' }
func (q query) Asked() machine.Message { return query("asked " + q) }

// answerer is a machine that answers questions of strangers.
type answerer struct{ *fake }

func (answerer) Answer(q machine.Question) machine.Message {
	if strings.HasPrefix(string(q.(query)), "long ") {
		return note(strings.Repeat("x", MaxAnswer))
	}
	return note("re " + q.(query))
}

// startAnswerer starts a node that answers questions, those of nodes that it
// knows as every machine does.
func startAnswerer(t *testing.T, n byte, open bool) *peerNode {
	return startNode(t, n, func(c *Config) {
		c.Net.Open = open
		build := c.Machine
		c.Machine = func(env machine.Env) machine.Machine {
			f := build(env).(*fake)
			heard := f.message
			f.message = func(from machine.Peer, m machine.Message) {
				heard(from, m)
				if q, ok := m.(query); ok && !strings.HasPrefix(string(q), "asked") {
					env.Send(from, note("known re "+q))
				}
			}
			return answerer{f}
		}
	})
}

func openly(c *Config) { c.Net.Open = true }

// TestQuestionOfAStranger: a machine that does nothing answers a question before
// it is known who has asked, and hears of that afterwards.
func TestQuestionOfAStranger(t *testing.T) {
	b := startAnswerer(t, 200, true)
	for n, end := byte(1), time.Now().Add(patience); ; n++ {
		a := startNode(t, n, openly)
		a.do(func(env machine.Env) { env.Send(b.peer, query("where")) })
		a.until("an answer", func(log []string) bool { return len(log) > 0 })
		log := a.seen()
		if a.who(log[0]) != b.peer {
			t.Fatalf("%q comes from %v", log[0], a.who(log[0]))
		}
		if log[0] == "known re where" && n < 100 && time.Now().Before(end) {
			continue // it was busy: it is asked by the next
		}
		if len(log) != 1 || log[0] != "re where" {
			t.Fatalf("%q", log)
		}
		b.until("who has asked", func(log []string) bool { return slices.Contains(log, "asked where") })
		if got := b.who("asked where"); got != a.peer {
			t.Fatalf("%v has asked, not %v", got, a.peer)
		}
		return
	}
}

// TestQuestionsOfTheKnown: what is not open, what both ends would have to allow
// and one does not, what machines do not answer and what has too long an answer
// comes to OnMessage alone.
func TestQuestionsOfTheKnown(t *testing.T) {
	for i, c := range []struct {
		what        string
		q           query
		asks, hears bool // Open
	}{
		{"not open", "Where", true, true},
		{"the asker does not", "where", false, true},
		{"the other end does not", "where", true, false},
		{"too long an answer", "long where", true, true},
	} {
		t.Run(c.what, func(t *testing.T) {
			a := startNode(t, byte(2*i+1), func(cfg *Config) { cfg.Net.Open = c.asks })
			b := startAnswerer(t, byte(2*i+2), c.hears)
			a.do(func(env machine.Env) { env.Send(b.peer, c.q) })
			a.sees(fmt.Sprint("known re ", c.q))
			b.sees(string(c.q))
		})
	}
	a, b := startNode(t, 20, openly), startNode(t, 21, openly) // no Answerer
	a.do(func(env machine.Env) { env.Send(b.peer, query("where")) })
	b.sees("where")
}
