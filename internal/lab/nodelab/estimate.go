package nodelab

import (
	"encoding/json"
	"fmt"
	"math"
	"os"

	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/lab"
)

var Estimate = lab.Experiment{
	Name:   "estimate",
	Shows:  "how many nodes a world of the size of a large game would need, from what was measured on this machine",
	Source: "dissertation 4.6.1: 200,000 chunks and 63,000 players on 20,000 nodes; the games of its proposal",
	Settings: []lab.Setting{
		{Name: "network", Default: "none", Text: "file of network-load --json: CPU of nodes and players; none: the figures below"},
		{Name: "load", Default: "none", Text: "file of region-load --json: players in one region, bytes; none: the figures below"},
		{Name: "node", Default: "0.0064", Unit: "cores", Text: "that a node with its players takes, by network-load (cores_per_node)"},
		{Name: "perNode", Default: "10", Unit: "players", Text: "that such a node had"},
		{Name: "region", Default: "1350", Unit: "players", Text: "that one region holds, by region-load (max_players)"},
		{Name: "bytes", Default: "5.9", Unit: "kB/s", Text: "to a player with a hundred in sight, by region-load (kb_s_per_player)"},
		{Name: "give", Default: "0.25", Unit: "cores", Text: "that a volunteer's machine gives"},
		{Name: "upstream", Default: "250", Unit: "kB/s", Text: "that a volunteer's line gives"},
		{Name: "replicas", Default: "3", Text: "of each region"},
		{Name: "loaded", Default: "0.5", Text: "share of the chunks that are awake (4.6.1: “generously” half)"},
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

func runEstimate(t *lab.Trial) error {
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
		if node, err = must(r, "mean_core_share"); err != nil {
			return err
		}
		nodes, players := settingOf(r, "nodes"), settingOf(r, "players")
		perNode = players / max(1, nodes)
	}
	if file := t.Text("load"); file != "none" {
		r, err := earlier(file, "region-load")
		if err != nil {
			return err
		}
		if region, err = must(r, "max_players"); err != nil {
			return err
		}
		if bytes, err = must(r, "kb_s_per_player"); err != nil {
			return err
		}
	}
	perPlayer := node / perNode // the node's idle share included: careful
	table := lab.Table{
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
	line := lab.Series{Name: "nodes needed"}
	for give := 0.05; give <= 1.0001; give += 0.05 {
		line.Points = append(line.Points, [2]float64{give, max(games[0].players*perPlayer/give, games[0].players*bytes/upstream)})
	}
	t.Plot(lab.Plot{Name: "estimate", Title: "Nodes for 200,000 chunks and 63,000 players, by what each gives", X: "cores that a machine gives", Y: "nodes", Series: []lab.Series{line}})
	return nil
}

// earlier reads the results of another experiment.
func earlier(file, name string) (*lab.Result, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", lab.ErrSetting, err)
	}
	var r lab.Result
	if err := json.Unmarshal(b, &r); err != nil || r.Name != name {
		return nil, fmt.Errorf("%w: %s is not what %s --json writes", lab.ErrSetting, file, name)
	}
	return &r, nil
}

// must returns a metric that has to be there.
func must(r *lab.Result, name string) (float64, error) {
	for _, m := range r.Metrics {
		if m.Name == name && m.Value > 0 {
			return m.Value, nil
		}
	}
	return 0, fmt.Errorf("%w: the results of %s have no %s", lab.ErrSetting, r.Name, name)
}

// settingOf is a setting that the results were made with.
func settingOf(r *lab.Result, name string) float64 {
	v, _ := r.Settings[name].(float64)
	return v
}
