package truthlab

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/app/evidence"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/lab"
	"github.com/voxelpopuli/voxelpopuli/internal/lab/nodelab"
	"github.com/voxelpopuli/voxelpopuli/internal/store/files"
	"github.com/voxelpopuli/voxelpopuli/internal/store/keyring"
)

// truthPatience is for how many updates the two may go on unproven, besides those in
// which honest nodes are compared.
const truthPatience = 6

// forge lets the two tamper from now on.
func (n *truthNet) forge() error {
	for _, p := range n.nodes {
		if p.forges {
			if err := p.ask(truthOrder{Forge: true}); err != nil {
				return err
			}
		}
	}
	return nil
}

// convict waits until an authority that reads what honest nodes have written down
// finds the two guilty, and nobody else, and revokes them. Not every update shows it of
// both, and they go on tampering.
func (n *truthNet) convict() (lines int, err error) {
	var guilty map[id.ID]bool
	for last := n.next() + truthPatience; ; {
		if guilty, lines, err = n.judge(); err != nil {
			return lines, err
		}
		proven := !slices.ContainsFunc(n.nodes, func(p *truthProcess) bool { return p.forges && !guilty[p.Self] })
		if proven || n.next() > last {
			break
		}
		if err := lab.Sleep(n.ctx, askEvery); err != nil {
			return lines, err
		}
	}
	for _, p := range n.nodes {
		if p.forges != guilty[p.Self] {
			return lines, fmt.Errorf("node %s tampers: %t; proven to do so: %t", p.Self.Short(), p.forges, guilty[p.Self])
		}
	}
	var serials []uint64
	for _, i := range n.authority.Issued() {
		if guilty[i.Node] {
			serials = append(serials, i.Serial)
		}
	}
	list, err := n.authority.Revoke(time.Now(), serials...)
	if err != nil {
		return lines, err
	}
	return lines, files.Write(n.honest()[1].list, keyring.RevocationsText(list), 0o644) // one node is told
}

// judge reads what honest nodes have written down, as an authority that knows
// nothing else: who is guilty by it.
func (n *truthNet) judge() (guilty map[id.ID]bool, lines int, err error) {
	guilty = map[id.ID]bool{}
	for _, p := range n.honest() {
		f, err := os.Open(filepath.Join(p.Dir, "evidence.jsonl"))
		if errors.Is(err, os.ErrNotExist) {
			continue
		} else if err != nil {
			return nil, lines, err
		}
		v, err := evidence.Read(f, n.authority.Genesis())
		f.Close()
		if err != nil {
			return nil, lines, err
		}
		for who, times := range v.Guilty {
			guilty[who] = true
			lines += times
		}
	}
	return guilty, lines, nil
}

// cutOff waits until no honest node has a link to the two.
func (n *truthNet) cutOff() error {
	out := map[id.ID]bool{}
	for _, p := range n.nodes {
		out[p.Self] = p.forges
	}
	return n.wait("for the two to be cut off", time.Now(), nodelab.SettleTime, n.honest(), func(p *truthProcess) bool {
		return p.Place != nil && p.Place.Revoked > 0 && !slices.ContainsFunc(p.Links, func(who id.ID) bool { return out[who] })
	})
}
