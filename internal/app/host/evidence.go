package host

import (
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/app/evidence"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/verifiedworld"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/regionlog"
	"github.com/voxelpopuli/voxelpopuli/internal/store/files"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
)

const (
	evidenceFile  = "evidence.jsonl"
	evidenceLimit = 16 << 20 // bytes; then what is kept of the file is set aside
	evidenceQueue = 256
)

// evidenceKeeper writes down what proves that other nodes have misbehaved, and tells the
// people whom it accuses.
type evidenceKeeper struct {
	dir      string // the world's
	peers    *peers
	now      func() machine.Time
	log      *slog.Logger
	incoming chan any        // overlay.Evidence, *verifiedworld.Contradiction and regionlog.Evidence
	proven   func(who id.ID) // is called with a node that is guilty by a proof; nil: nobody hears
}

func newEvidenceKeeper(dir string, p *peers, now func() machine.Time, log *slog.Logger) *evidenceKeeper {
	return &evidenceKeeper{dir: dir, peers: p, now: now, log: log, incoming: make(chan any, evidenceQueue)}
}

// take is called in the node's handlers: it does not wait, and drops what is too much.
func (k *evidenceKeeper) take(e any) {
	select {
	case k.incoming <- e:
	default:
	}
}

// run writes evidence down, and says who is to be excluded by it, until stop is closed.
func (k *evidenceKeeper) run(stop <-chan struct{}) {
	p := k.peers
	court := overlay.MisbehaviourScore{Valid: func(v *overlay.NetworkView) bool {
		c := p.verifier.Seen(v.Source.ID)
		return c != nil && v.SignedBy(p.record.World(), c.Key[:])
	}}
	born := func(who id.ID) machine.Time {
		if c := p.verifier.Seen(who); c != nil {
			return c.From
		}
		return k.now()
	}
	told := map[id.ID]bool{}
	if k.proven != nil {
		for _, before := range k.convicted() {
			who, _ := regionlog.Accused(before)
			k.proven(who)
		}
	}
	for {
		select {
		case e := <-k.incoming:
			guilty, err := k.hear(e, &court, born)
			if err != nil {
				k.log.Warn("Evidence cannot be kept.", "error", err)
			}
			if proof, ok := e.(regionlog.Evidence); ok {
				who, _ := regionlog.Accused(proof)
				k.log.Warn("The proof is written down; \"voxelpopuli evidence check FILE\" explains it.", "node", who, "file", k.dir+"/"+evidenceFile)
				if k.proven != nil {
					k.proven(who)
				}
				continue
			}
			_, contradiction := e.(*verifiedworld.Contradiction)
			for _, who := range guilty {
				if contradiction && err == nil && k.proven != nil {
					k.proven(who)
				}
				if c := p.verifier.Seen(who); c != nil && !told[who] {
					told[who] = true
					k.log.Warn(accusation(e), "node", who, "certificate", c.Serial, "evidence", k.dir+"/"+evidenceFile)
				}
			}
		case <-stop:
			return
		}
	}
}

// accusation tells the people what a node is to be excluded for.
func accusation(e any) string {
	if _, tampered := e.(*verifiedworld.Contradiction); tampered {
		return "A node keeps the world otherwise than the others, and has signed it: ask the authority to revoke its certificate."
	}
	return "A node sends false views of its neighbourhood, or is the victim of many: ask the authority whether to revoke its certificate."
}

// hear keeps evidence, an overlay.Evidence, a *verifiedworld.Contradiction or a regionlog.Evidence, and returns
// who is to be excluded by it.
func (k *evidenceKeeper) hear(e any, court *overlay.MisbehaviourScore, born func(id.ID) machine.Time) (guilty []id.ID, err error) {
	switch e := e.(type) {
	case overlay.Evidence:
		line, err := k.peers.ground.FalseView(e)
		if err == nil {
			err = k.writeLine(line)
		}
		return court.Add(e, born), err
	case *verifiedworld.Contradiction:
		if err := k.peers.ground.Check(e); err != nil {
			return nil, err
		}
		line, err := k.peers.ground.Tampering(e, time.Unix(0, int64(k.now())).UTC())
		if err == nil {
			err = k.writeLine(line)
		}
		return []id.ID{e.Accused.By()}, err
	case regionlog.Evidence:
		line, err := k.peers.ground.FalseState(e, time.Unix(0, int64(k.now())).UTC())
		if err == nil {
			err = k.writeLine(line)
		}
		return nil, err
	}
	return nil, nil
}

// convicted is the evidence of evidence.jsonl against leaders of regions, one for each.
func (k *evidenceKeeper) convicted() (out []regionlog.Evidence) {
	for _, name := range []string{evidenceFile + ".old", evidenceFile} {
		f, err := os.Open(filepath.Join(k.dir, name))
		if err != nil {
			continue // there is none
		}
		found, err := k.peers.ground.Convicted(f)
		out = append(out, found...)
		if err = errors.Join(err, f.Close()); err != nil {
			k.log.Warn("Evidence of earlier runs cannot be read: nodes that were convicted then may take part again.", "file", name, "error", err)
		}
	}
	return out
}

// compactEvidence sets aside what is kept of the evidence that was set aside before, and of a
// file that has become too long.
func compactEvidence(name string, most int) error {
	var in []io.Reader
	for _, n := range []string{name + ".old", name} {
		f, err := os.Open(n)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		defer f.Close()
		in = append(in, f)
	}
	b, err := evidence.Compact(most, in...)
	if err != nil {
		return err
	}
	if err := files.Write(name+".old", b, 0o600); err != nil {
		return err
	}
	return os.Remove(name)
}

func (k *evidenceKeeper) writeLine(line []byte) error {
	name := filepath.Join(k.dir, evidenceFile)
	if st, err := os.Stat(name); err == nil && st.Size() > evidenceLimit {
		if err := compactEvidence(name, evidenceLimit); err != nil {
			return err
		}
	}
	f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(append(line, '\n'))
	if closed := f.Close(); err == nil {
		err = closed
	}
	return err
}
