package lab

import (
	"encoding/json"
	"fmt"
	"math"
	"os"

	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

var estimateExperiment = Experiment{
	Name:   "estimate",
	Shows:  "how many nodes a world of the size of a large game would need, from what was measured on this machine",
	Source: "dissertation 4.6.1: 200,000 chunks and 63,000 players on 20,000 nodes; the games of its proposal",
	Settings: []Setting{
		{"network", "none", "", "file of network-load --json: CPU of nodes and players; none: the figures below"},
		{"load", "none", "", "file of region-load --json: players in one region, bytes; none: the figures below"},
		{"node", "0.0064", "cores", "that a node with its players takes, by network-load (cores_per_node)"},
		{"perNode", "10", "players", "that such a node had"},
		{"region", "1350", "players", "that one region holds, by region-load (max_players)"},
		{"bytes", "5.9", "kB/s", "to a player with a hundred in sight, by region-load (kb_s_per_player)"},
		{"give", "0.25", "cores", "that a volunteer's machine gives"},
		{"upstream", "250", "kB/s", "that a volunteer's line gives"},
		{"replicas", "3", "", "of each region"},
		{"loaded", "0.5", "", "share of the chunks that are awake (4.6.1: “generously” half)"},
	},
	Run: runEstimate,
}

// game is a world to be estimated.
type game struct {
	name    string
	chunks  float64 // of 32 m × 32 m
	players float64 // at the same time
	paper   float64 // nodes by the source, 0: it says nothing
}

// games are the dissertation's estimate (4.6.1), and the games that its proposal
// wants compared. Sizes that the source does not give are assumed, and say so.
var games = []game{
	{"the source: World of Warcraft's land, EVE Online's players", 200_000, 63_000, 20_000},
	{"EVE Online's 63,160 players on 2,000 chunks (assumed)", 2_000, 63_160, 0},
	{"World of Warcraft, 5 % of 12 million at a time (assumed)", 200_000, 600_000, 0},
	{"RuneScape, 250,000 at a time on 10,000 chunks (assumed)", 10_000, 250_000, 0},
}

// chunksInRegion is how many of the source's chunks a region covers.
const chunksInRegion = world.Columns

func runEstimate(t *Trial) error {
	node, perNode, region := t.Float("node", 1e-6), t.Float("perNode", 1), t.Float("region", 1)
	bytes, give, upstream := t.Float("bytes", 0.01), t.Float("give", 0.001), t.Float("upstream", 1)
	replicas, loaded := t.Float("replicas", 1), t.Float("loaded", 0.001)
	if err := t.Settings(); err != nil {
		return err
	}
	if file := t.Text("network"); file != "none" {
		r, err := earlier(file, "network-load")
		if err != nil {
			return err
		}
		if node, err = r.must("mean_core_share"); err != nil {
			return err
		}
		nodes, players := r.number("nodes"), r.number("players")
		perNode = players / max(1, nodes)
	}
	if file := t.Text("load"); file != "none" {
		r, err := earlier(file, "region-load")
		if err != nil {
			return err
		}
		if region, err = r.must("max_players"); err != nil {
			return err
		}
		if bytes, err = r.must("kb_s_per_player"); err != nil {
			return err
		}
	}
	perPlayer := node / perNode // the node's idle share included: careful
	table := Table{
		Name: "estimate", Title: "Nodes that a world would need",
		Columns: []string{"world", "chunks", "players", "players an awake region", "for CPU", "for upstream", "nodes", "source", "players a node", "regions a node keeps"},
	}
	for i, g := range games {
		regions := g.chunks / chunksInRegion
		awake := max(1, regions*loaded)
		forCPU := g.players * perPlayer / give
		forLine := g.players * bytes / upstream
		need := math.Ceil(max(forCPU, forLine, replicas))
		source := any("–")
		if g.paper > 0 {
			source = g.paper
		}
		crowded := g.players / awake
		if crowded > region { // one node leads a region: more of them do not help
			table.Row(g.name, g.chunks, g.players, crowded, "–", "–", "cannot", source, "–", "–")
			continue
		}
		table.Row(g.name, g.chunks, g.players, crowded, math.Ceil(forCPU), math.Ceil(forLine), need, source, g.players/need, regions*replicas/need)
		if i == 0 {
			t.Against("nodes", need, "nodes", g.paper)
			t.Metric("cpu_nodes", math.Ceil(forCPU), "nodes")
			t.Metric("upstream_nodes", math.Ceil(forLine), "nodes")
			t.Metric("players_per_node", g.players/need, "players")
			t.Metric("players_per_awake_region", g.players/awake, "players")
			t.Metric("regions_per_node", regions*replicas/need, "regions")
		}
	}
	t.Table(table)
	line := Series{Name: "nodes needed"}
	for give := 0.05; give <= 1.0001; give += 0.05 {
		line.Points = append(line.Points, [2]float64{give, max(games[0].players*perPlayer/give, games[0].players*bytes/upstream)})
	}
	t.Plot(Plot{Name: "estimate", Title: "Nodes for 200,000 chunks and 63,000 players, by what each gives", X: "cores that a machine gives", Y: "nodes", Series: []Series{line}})
	return nil
}

// earlier reads the results of another experiment.
func earlier(file, name string) (*Result, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSetting, err)
	}
	var r Result
	if err := json.Unmarshal(b, &r); err != nil || r.Name != name {
		return nil, fmt.Errorf("%w: %s is not what %s --json writes", ErrSetting, file, name)
	}
	return &r, nil
}

// must returns a metric that has to be there.
func (r *Result) must(name string) (float64, error) {
	for _, m := range r.Metrics {
		if m.Name == name && m.Value > 0 {
			return m.Value, nil
		}
	}
	return 0, fmt.Errorf("%w: the results of %s have no %s", ErrSetting, r.Name, name)
}

// number is a setting that the results were made with.
func (r *Result) number(name string) float64 {
	v, _ := r.Settings[name].(float64)
	return v
}
