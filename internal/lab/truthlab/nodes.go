package truthlab

import (
	"errors"
	"fmt"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/lab"
	"github.com/voxelpopuli/voxelpopuli/internal/lab/nodelab"
	"github.com/voxelpopuli/voxelpopuli/internal/lab/storagelab"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/voxelrules"
)

var Experiment = lab.Experiment{
	Name:   "truth-nodes",
	Shows:  "processes with an authority keep their world in the storage while people play, dig and build at their gateways; two tamper with what they store: the world stays right, an authority finds both guilty by what an honest node has written down, and they are cut off; in the end all that players were told to have done is in the voted state, and no leader of a region is accused; fails if not",
	Source: "issue 5, show 5",
	Settings: []lab.Setting{
		{Name: "nodes", Default: "10", Text: "processes; at least 9"},
		{Name: "players", Default: "4", Text: "that build, each at a node of its own"},
		{Name: "updates", Default: "2", Text: "of honest nodes, of nodes that tamper, and after these are cut off"},
		{Name: "latency", Default: "2", Unit: "s", Text: "the longest that a message is assumed to take; an update takes five times that"},
		{Name: "protocol", Default: "hardened", Text: storagelab.ProtocolSetting.Text},
		{Name: "regions", Default: "8", Text: "the world is so many regions a side, an even number; the spawn has to lie in it"},
	},
	Run: runTruthNodes,
}

func runTruthNodes(t *lab.Trial) (err error) {
	nodes, players, updates := t.Int("nodes", 9), t.Int("players", 1), t.Int("updates", 1)
	latency, regions := t.Float("latency", 0.1), t.Int("regions", 2)
	if players > min(nodes-2, nodelab.MaxMasons) {
		t.Reject("players", fmt.Sprintf("at most %d, and as many as there are honest nodes", nodelab.MaxMasons))
	}
	if regions%2 != 0 || regions > 128 {
		t.Reject("regions", "an even number up to 128")
	}
	if err := t.Settings(); err != nil {
		return err
	}
	n := &truthNet{ctx: t.Context, t: t, protocol: storagelab.ProtocolOf(t).String(), rules: voxelrules.Config{Seed: t.Seed, Regions: int32(regions), Mode: world.Creative}}
	defer func() { err = errors.Join(err, n.close()) }()
	if err := n.found(nodes, lab.Duration(latency).Truncate(time.Millisecond)); err != nil {
		return err
	}
	if err := n.begun(); err != nil {
		return err
	}
	if err := n.come(players); err != nil {
		return err
	}
	if err := n.build(players); err != nil {
		return err
	}
	begun, since := n.sent(), time.Now()
	last := n.next() + 1 + int64(updates) // what is done now is voted, also if the witness comes only now
	table := lab.Table{Name: "truth-nodes", Title: "The world of honest nodes, compared with one replay of what players have signed",
		Columns: []string{"phase", "update", "nodes right", "of", "objects compared", "blocks built", "updates failed", "cells unknown", "proofs"}}
	var wrong []error
	check := func(phase string) {
		row, err := n.check(last)
		if err != nil {
			wrong = append(wrong, fmt.Errorf("%s: %w", phase, err))
		}
		t.Logf("%s: update %d, %d of %d nodes right, %d blocks built, %d proofs", phase, last, row.right, row.of, row.built, row.proofs)
		table.Row(phase, last, row.right, row.of, row.objects, row.built, row.failed, row.unknown, row.proofs)
	}
	check("all are honest")
	if err := n.forge(); err != nil {
		return err
	}
	last += int64(updates) + 1
	check("two tamper")
	lines, err := n.convict()
	if err != nil {
		wrong = append(wrong, err)
	} else if err := n.cutOff(); err != nil {
		wrong = append(wrong, err)
	}
	last = n.next() + int64(updates)
	check("the two are cut off")
	played, err := n.rest(players)
	if err != nil {
		wrong = append(wrong, err)
	}
	rate := float64(n.sent()-begun) / time.Since(since).Seconds() / float64(len(n.honest()))
	t.Logf("what was played: %d places that players were told to have changed, all of them voted: %t", played, err == nil)
	t.Table(table)
	t.Metric("actions_signed", float64(n.past.count.Signed), "")
	t.Metric("actions_lost", float64(n.past.count.Lost), "")
	t.Metric("places_voted", float64(played), "")
	t.Metric("proofs_checked", float64(lines), "")
	t.Metric("storage_kb_s", rate/1000, "KB/s")
	return errors.Join(wrong...)
}

// come lets people play, at honest nodes.
func (n *truthNet) come(players int) error {
	for i, p := range n.honest()[:players] {
		if err := p.ask(truthOrder{Play: i + 1}); err != nil {
			return err
		}
	}
	return nil
}

// build waits until all who play have built something.
func (n *truthNet) build(players int) error {
	return n.wait("for people to build", time.Now(), nodelab.SettleTime, n.honest()[:players],
		func(p *truthProcess) bool { return len(p.Built) > 0 })
}

// rest lets them do nothing more once all of them have built something again: a
// region that one of the two has led needs another leader first. It waits until what
// they have been told to have done can have been voted on. All of it must be, and no
// leader of a region be accused.
func (n *truthNet) rest(players int) (built int, err error) {
	if err := n.build(players); err != nil {
		return 0, err
	}
	for _, p := range n.honest() {
		if err := p.ask(truthOrder{Rest: true, After: n.past.at}); err != nil {
			return 0, err
		}
	}
	err = n.wait("for what was played to be voted", time.Now(), nodelab.MasonPatience+12*n.every, n.honest(),
		func(p *truthProcess) bool { return !p.Busy && p.Truth.Witness != nil && p.Truth.Witness.Waiting == 0 })
	of := n.next()
	if _, checked := n.check(of); checked != nil {
		return 0, errors.Join(err, checked)
	}
	for _, p := range n.honest() {
		for _, b := range p.Built {
			if is, ok := n.past.once.Block(b.At); !ok || is != b.Is {
				err = errors.Join(err, fmt.Errorf("node %s: its player has %v at %v, voted is %v", p.Self.Short(), b.Is, b.At, is))
			}
			built++
		}
		for _, c := range p.Truth.LeaderAccusations {
			err = errors.Join(err, fmt.Errorf("node %s accuses %s: it %s", p.Self.Short(), c.Leader.ID.Short(), c.What()))
		}
	}
	if err == nil && built == 0 {
		err = errors.New("nothing was built")
	}
	return built, err
}
