// Package catalog has all experiments by name, and what their child processes can
// be: it is what vplab and campaigns know of them. A new experiment is listed here.
package catalog

import (
	"fmt"
	"slices"
	"strings"

	"github.com/voxelpopuli/voxelpopuli/internal/lab"
	"github.com/voxelpopuli/voxelpopuli/internal/lab/chaoslab"
	"github.com/voxelpopuli/voxelpopuli/internal/lab/hostilelab"
	"github.com/voxelpopuli/voxelpopuli/internal/lab/hostinglab"
	"github.com/voxelpopuli/voxelpopuli/internal/lab/kademlialab"
	"github.com/voxelpopuli/voxelpopuli/internal/lab/linklab"
	"github.com/voxelpopuli/voxelpopuli/internal/lab/nodelab"
	"github.com/voxelpopuli/voxelpopuli/internal/lab/overlaylab"
	"github.com/voxelpopuli/voxelpopuli/internal/lab/storagelab"
	"github.com/voxelpopuli/voxelpopuli/internal/lab/timewarp"
	"github.com/voxelpopuli/voxelpopuli/internal/lab/truthlab"
	"github.com/voxelpopuli/voxelpopuli/internal/lab/worldlab"
)

// Experiments lists all experiments by name.
func Experiments() []lab.Experiment {
	all := []lab.Experiment{
		chaoslab.Experiment,
		nodelab.BorderCrossing,
		nodelab.EditLatency,
		nodelab.Estimate,
		hostilelab.Load,
		hostinglab.Experiment,
		hostinglab.Lifetime,
		hostilelab.Node,
		nodelab.NetworkLoad,
		nodelab.NodeFailure,
		linklab.JoinByLink,
		nodelab.LyingHost,
		nodelab.CheckingCost,
		kademlialab.Attack,
		kademlialab.Lookups,
		kademlialab.Memory,
		kademlialab.Peers,
		kademlialab.RPCs,
		linklab.LossyPlay,
		nodelab.Mesh,
		nodelab.OldDisk,
		nodelab.SparesCost,
		nodelab.HistoryCost,
		overlaylab.Attack,
		overlaylab.Degrees,
		overlaylab.Hops,
		overlaylab.Scale,
		overlaylab.Scenarios,
		overlaylab.Structure,
		overlaylab.Tables,
		overlaylab.Traffic,
		nodelab.PageLoad,
		nodelab.RegionLoad,
		nodelab.Soak,
		nodelab.Takeover,
		storagelab.Attack,
		storagelab.Bandwidth,
		storagelab.Data,
		storagelab.HeatMap,
		storagelab.Hops,
		storagelab.Queries,
		storagelab.Siege,
		worldlab.Terrain,
		storagelab.ThesisMinute,
		timewarp.Experiment,
		nodelab.TotalLoss,
		truthlab.Experiment,
		storagelab.TruthVoxel,
		worldlab.Digest,
		worldlab.Progress,
	}
	slices.SortFunc(all, func(a, b lab.Experiment) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// Find returns the experiment of a name.
func Find(name string) (lab.Experiment, error) {
	var names []string
	for _, e := range Experiments() {
		if e.Name == name {
			return e, nil
		}
		names = append(names, e.Name)
	}
	return lab.Experiment{}, fmt.Errorf("%w %q: there are %s", lab.ErrUnknown, name, strings.Join(names, ", "))
}

// Become turns this process into the child of an experiment as which it was started,
// if it was: then it does not return. main calls it first.
func Become() {
	lab.Child(kademlialab.Children, nodelab.Children, chaoslab.Children, truthlab.Children, hostilelab.Children, linklab.Children)
}
