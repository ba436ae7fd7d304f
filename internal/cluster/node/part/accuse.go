package part

import (
	"fmt"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/core/recent"
)

const (
	// AccuseEvery is the least time between two reports about the same node: a node
	// that was disconnected reconnects and sends the same again.
	AccuseEvery = 10 * time.Minute
	// accusedKept is the number of nodes for which the last report is remembered.
	accusedKept = 256
)

// Accused reports nodes that send something false, each of them rarely.
type Accused struct {
	env  machine.Env
	note func(text string)
	last recent.Map[id.ID, machine.Time]
}

func NewAccused(env machine.Env, note func(string)) *Accused {
	return &Accused{env, note, recent.New[id.ID, machine.Time](accusedKept)}
}

// Accuse reports that a node has sent something false, which was refused.
func (a *Accused) Accuse(who id.ID, format string, args ...any) {
	now := a.env.Now()
	if last, ok := a.last.Get(who); ok && now.Sub(last) < AccuseEvery {
		return
	}
	a.last.Put(who, now)
	a.note(fmt.Sprintf("Node %s has sent ", who.Short()) + fmt.Sprintf(format, args...))
}
