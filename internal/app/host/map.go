package host

import (
	"context"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/app/gateway"
	"github.com/voxelpopuli/voxelpopuli/internal/app/webmap"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node"
	"github.com/voxelpopuli/voxelpopuli/internal/game/decision"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world/terrain"
)

const (
	// spacesFor is how long what is on the disk is taken to be all that is there.
	spacesFor = 15 * time.Second
	// hostedTime is how long the directory may take to say who hosts a region.
	hostedTime = 3 * time.Second
)

// worldMap is the map that the page /map shows.
type worldMap struct {
	*webmap.Map
	h       *Host
	players bool

	mu     sync.Mutex
	spaces []string // in order
	read   time.Time
}

// openMap returns the map of this world; nil: it is not shown.
func (h *Host) openMap() gateway.Map {
	show := h.cfg.Map
	if show == "" && h.cfg.JoinCode == "" && !h.needsCode() && !h.whitelist() {
		show = "land"
	}
	if show == "" || show == "off" {
		return nil
	}
	m := &worldMap{h: h, players: show == "players"}
	meta := h.World()
	m.Map = webmap.New(webmap.Config{
		Made: m.made, Land: m.land, Far: terrain.New(meta.SeedNumber()).Far, Dir: filepath.Join(h.world.Dir, "map"), Now: time.Now,
	})
	return m
}

// until is a context that ends with another one, or when the host is closed.
func (h *Host) until(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	running, end := h.running()
	context.AfterFunc(running, cancel)
	return ctx, func() { cancel(); end() }
}

// made reports whether a region was ever made: it is on this node's disk, or others host it.
func (m *worldMap) made(ctx context.Context, r world.RegionPos, ask bool) bool {
	if m.onDisk(r) || !ask || m.h.peers == nil {
		return m.onDisk(r)
	}
	ctx, cancel := m.h.until(ctx)
	defer cancel()
	ctx, over := context.WithTimeout(ctx, hostedTime)
	defer over()
	hosted := make(chan bool, 1)
	if m.h.loop.Call(ctx, func() { m.h.node.Hosted(r, func(yes bool) { hosted <- yes }) }) != nil {
		return false
	}
	select {
	case yes := <-hosted:
		return yes
	case <-ctx.Done():
		return false
	}
}

func (m *worldMap) onDisk(r world.RegionPos) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if now := time.Now(); now.Sub(m.read) > spacesFor {
		m.read = now
		if all, err := m.h.world.Store.Spaces(); err == nil {
			m.spaces = all
		}
	}
	_, found := slices.BinarySearch(m.spaces, region.Space(r))
	return found
}

func (m *worldMap) land(ctx context.Context, r world.RegionPos) ([]*world.Column, error) {
	ctx, cancel := m.h.until(ctx)
	defer cancel()
	return m.h.client.Land(ctx, r)
}

// Overview implements gateway.Map.
func (m *worldMap) Overview(ctx context.Context) (*webmap.Overview, error) {
	ctx, cancel := m.h.until(ctx)
	defer cancel()
	out := &webmap.Overview{Name: m.h.world.Meta.Name, Zooms: webmap.Zooms, Claims: []webmap.Claim{}}
	err := m.h.loop.Call(ctx, func() {
		spawn, lands, players := m.h.node.Overview()
		out.Spawn = [2]int32{spawn.X, spawn.Z}
		eachLand(lands, func(name, owner string, z world.Zone) {
			out.Claims = append(out.Claims, webmap.Claim{Name: name, Owner: owner, From: [2]int32{z.Min.X, z.Min.Z}, To: [2]int32{z.Max.X, z.Max.Z}})
		})
		if m.players {
			out.Players = shownPlayers(players)
		}
	})
	return out, err
}

// eachLand calls do with each box that a player has claimed.
func eachLand(lands []decision.SignedLand, do func(name, owner string, z world.Zone)) {
	for _, l := range lands {
		if z, owner, ok := l.Land.Box(); ok {
			do(l.Land.Name, owner, z)
		}
	}
}

// shownPlayers are those whom the map shows: spectators look on unseen.
func shownPlayers(all []node.PlayerHere) []webmap.Player {
	out := []webmap.Player{}
	for _, p := range all {
		if p.Mode != world.Spectator {
			out = append(out, webmap.Player{Name: p.Name, X: p.At.X, Z: p.At.Z})
		}
	}
	return out
}
