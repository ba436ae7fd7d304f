package lab

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/authority"
	"github.com/voxelpopuli/voxelpopuli/internal/disk/worldfs"
	"github.com/voxelpopuli/voxelpopuli/internal/evidence"
	"github.com/voxelpopuli/voxelpopuli/internal/files"
	"github.com/voxelpopuli/voxelpopuli/internal/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/host"
	"github.com/voxelpopuli/voxelpopuli/internal/id"
	"github.com/voxelpopuli/voxelpopuli/internal/keyring"
	"github.com/voxelpopuli/voxelpopuli/internal/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/truth"
	"github.com/voxelpopuli/voxelpopuli/internal/world"
)

var truthNodesExperiment = Experiment{
	Name:   "truth-nodes",
	Shows:  "processes with an authority keep their world in the storage while people play, dig and build at their gateways; two tamper with what they store: the world stays right, an authority finds both guilty by what an honest node has written down, and they are cut off; in the end all that players were told to have done is in the voted state, and no leader of a region is accused; fails if not",
	Source: "issue 5, show 5",
	Settings: []Setting{
		{"nodes", "10", "", "processes; at least 9"},
		{"players", "4", "", "that build, each at a node of its own"},
		{"updates", "2", "", "of honest nodes, of nodes that tamper, and after these are cut off"},
		{"latency", "2", "s", "the longest that a message is assumed to take; an update takes five times that"},
		{"protocol", "hardened", "", protocolSetting.Text},
		{"regions", "8", "", "the world is so many regions a side, an even number; the spawn has to lie in it"},
	},
	Run: runTruthNodes,
}

// truthZones is r. The two that tamper are of one zone: three of four decide.
const truthZones = 4

// truthPatience is for how many updates the two may go on unproven, besides those in
// which honest nodes are compared.
const truthPatience = 6

// truthNet is the experiment's world.
type truthNet struct {
	ctx       context.Context
	dir       string
	t         *Trial
	authority *authority.Authority
	rules     truth.Config
	nodes     []*truthProcess
	past      *truthPast
	every     time.Duration
	protocol  string
}

// truthProcess is one node.
type truthProcess struct {
	*child
	data, paper, list string
	forges            bool
	truthReport
}

func runTruthNodes(t *Trial) (err error) {
	nodes, players, updates := t.Int("nodes", 9), t.Int("players", 1), t.Int("updates", 1)
	latency, regions := t.Float("latency", 0.1), t.Int("regions", 2)
	if players > min(nodes-2, maxMasons) {
		t.reject("players", fmt.Sprintf("at most %d, and as many as there are honest nodes", maxMasons))
	}
	if regions%2 != 0 || regions > 128 {
		t.reject("regions", "an even number up to 128")
	}
	if err := t.Settings(); err != nil {
		return err
	}
	n := &truthNet{ctx: t.Context, t: t, protocol: t.Protocol().String(), rules: truth.Config{Seed: t.Seed, Regions: int32(regions), Mode: world.Creative}}
	defer func() { err = errors.Join(err, n.close()) }()
	if err := n.found(nodes, time.Duration(latency*float64(time.Second)).Truncate(time.Millisecond)); err != nil {
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
	table := Table{Name: "truth-nodes", Title: "The world of honest nodes, compared with one replay of the accepted actions",
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
	t.Metric("places_voted", float64(played), "")
	t.Metric("proofs_checked", float64(lines), "")
	t.Metric("storage_kb_s", rate/1000, "KB/s")
	return errors.Join(wrong...)
}

// found makes the authority, its world and its nodes' processes.
func (n *truthNet) found(nodes int, latency time.Duration) (err error) {
	if n.dir, err = os.MkdirTemp("", "voxelpopuli-lab-"); err != nil {
		return err
	}
	if n.authority, err = authority.Init(filepath.Join(n.dir, "authority"), truthZones, time.Now()); err != nil {
		return err
	}
	for i := range nodes {
		p := &truthProcess{data: filepath.Join(n.dir, fmt.Sprint("node", i)), forges: i == 4 || i == 8}
		p.paper, p.list = filepath.Join(p.data, "certificate.pem"), filepath.Join(p.data, "revocations.pem")
		if err := n.admit(p, i%truthZones); err != nil {
			return err
		}
		n.nodes = append(n.nodes, p)
	}
	folder, err := worldfs.OpenFolder(n.nodes[0].data)
	if err != nil {
		return err
	}
	// Ten nodes have found their places long before this is over.
	given := &host.Truth{After: 20*time.Second + time.Duration(nodes)*2*time.Second, LMax: latency, Regions: n.rules.Regions}
	if _, err := host.CreateWorld(folder, host.NewWorld{
		Name: labWorld, Seed: fmt.Sprint(n.rules.Seed), Mode: "creative", Genesis: n.authority.Genesis(), Truth: given,
	}); err != nil {
		return err
	}
	for i, p := range n.nodes {
		if p.child, err = startChild(n.ctx, childTruth, os.Stderr); err != nil {
			return err
		}
		o := truthOrder{Data: p.data, Paper: p.paper, List: p.list, Forges: p.forges, Alters: i == 4, Protocol: n.protocol, Rules: n.rules}
		if i > 0 {
			o.Join = []string{n.nodes[0].Nodes}
		}
		if err := p.ask(o); err != nil {
			return fmt.Errorf("node %d: %w", i, err)
		}
	}
	n.every = n.nodes[0].Truth.Every
	n.past = newTruthPast(n.rules, n.nodes[0].Truth.Begin, n.every)
	return nil
}

// admit gives a node a key and a certificate. The authority draws places; keys
// are made anew until one has its place in the wanted zone; who is to tamper gets
// one in the middle, so that it holds what the players build.
func (n *truthNet) admit(p *truthProcess, zone int) error {
	space := overlay.SpaceFor(truthZones)
	for {
		if err := os.MkdirAll(p.data, 0o700); err != nil {
			return err
		}
		ring, err := keyring.Open(p.data)
		if err != nil {
			return err
		}
		key, err := ring.Node(0, nil)
		if err != nil {
			return err
		}
		c, err := n.authority.Issue(key.Public(), "", time.Now().Add(-time.Minute), time.Now().Add(time.Hour))
		if err != nil {
			return err
		}
		sub := space.SubArea(zone)
		middle := geom.Point{X: sub.Min.X/2 + sub.Max.X/2, Y: sub.Min.Y/2 + sub.Max.Y/2}
		near := c.Pos.Dist2(middle) < int64(space.SubSide()/4)*int64(space.SubSide()/4)
		if space.Zone(c.Pos) == zone && (near || !p.forges) {
			return files.Write(p.paper, keyring.CertificateText(c), 0o644)
		}
		if err := os.RemoveAll(p.data); err != nil {
			return err
		}
	}
}

func (p *truthProcess) ask(o truthOrder) error {
	p.truthReport = truthReport{}
	err := p.do(o, &p.truthReport, settleTime)
	if err == nil && p.Error != "" {
		err = errors.New(p.Error)
	}
	return err
}

// each asks all nodes for what they hold.
func (n *truthNet) each() error {
	for i, p := range n.nodes {
		if err := p.ask(truthOrder{After: n.past.at}); err != nil {
			return fmt.Errorf("node %d: %w", i, err)
		}
	}
	return nil
}

// begun waits until the storage has begun, and all nodes take part in it.
func (n *truthNet) begun() error {
	return n.wait("for all nodes to hold their part of the first update", n.past.time(0), settleTime, n.nodes,
		func(p *truthProcess) bool { return p.State != nil })
}

// askEvery is how often nodes are asked for what is waited for.
const askEvery = 500 * time.Millisecond

// wait asks all nodes until something is so at some of them. It gives up when it
// has become so at none more for long, from some time on. How long is counted in
// answers: where the nodes' machine has no time for them, they take longer, too.
func (n *truthNet) wait(what string, from time.Time, patience time.Duration, at []*truthProcess, so func(*truthProcess) bool) error {
	for best, left := -1, patience; ; left -= askEvery {
		if err := n.each(); err != nil {
			return err
		}
		is := 0
		for _, p := range at {
			if so(p) {
				is++
			}
		}
		switch {
		case is == len(at):
			return nil
		case is > best || time.Now().Before(from):
			best, left = max(is, best), patience
		case left <= 0:
			return fmt.Errorf("waited too long %s: %d of %d do", what, is, len(at))
		}
		if err := n.sleep(askEvery); err != nil {
			return err
		}
	}
}

func (n *truthNet) sleep(d time.Duration) error {
	select {
	case <-n.ctx.Done():
		return n.ctx.Err()
	case <-time.After(d):
		return nil
	}
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
	return n.wait("for people to build", time.Now(), settleTime, n.honest()[:players],
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
	err = n.wait("for what was played to be voted", time.Now(), masonPatience+12*n.every, n.honest(),
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
		for _, c := range p.Truth.Charges {
			err = errors.Join(err, fmt.Errorf("node %s accuses %s: it %s", p.Self.Short(), c.Leader.ID.Short(), c.What()))
		}
	}
	if err == nil && built == 0 {
		err = errors.New("nothing was built")
	}
	return built, err
}

func (n *truthNet) honest() (out []*truthProcess) {
	for _, p := range n.nodes {
		if !p.forges {
			out = append(out, p)
		}
	}
	return out
}

// sent is how many bytes of the overlay's and the storage's messages honest nodes
// have sent, when they were asked last.
func (n *truthNet) sent() (all uint64) {
	for _, p := range n.honest() {
		all += p.Sent
	}
	return all
}

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

// next is the first update that has not been due yet.
func (n *truthNet) next() int64 { return int64(time.Since(n.past.time(0))/n.every) + 1 }

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
		if err := n.sleep(askEvery); err != nil {
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
	return n.wait("for the two to be cut off", time.Now(), settleTime, n.honest(), func(p *truthProcess) bool {
		return p.Place != nil && p.Place.Revoked > 0 && !slices.ContainsFunc(p.Links, func(who id.ID) bool { return out[who] })
	})
}

// close ends all processes and forgets the world.
func (n *truthNet) close() error {
	for _, p := range n.nodes {
		if p.child != nil {
			_ = p.kill() // it may have ended by itself
		}
	}
	var err error
	if n.authority != nil {
		err = n.authority.Close()
	}
	return errors.Join(err, os.RemoveAll(n.dir))
}
