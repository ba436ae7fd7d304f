package campaign

// shortParts have every experiment, as small as it still says something. Those that
// measure the machine take seconds to minutes; no figure of them is to be quoted.
func shortParts() []Part {
	return []Part{
		{Name: "overlay-tables", Experiment: "overlay-tables", Runs: 2, Set: set{"iad": "40,60", "hours": "0.5", "start": "50"}},
		{Name: "overlay-traffic", Experiment: "overlay-traffic", Runs: 2, Set: set{"iad": "40,60", "hours": "0.5"}},
		{Name: "overlay-attack", Experiment: "overlay-attack", Runs: 2, Set: set{"iad": "40", "hours": "0.5", "scenarios": "20+3"}},
		{Name: "overlay-hops", Experiment: "overlay-hops", Runs: 2, Set: set{"nodes": "50", "messages": "50"}},
		{Name: "overlay-scenarios", Experiment: "overlay-scenarios", Runs: 2, Set: set{"nodes": "24", "r": "4"}},
		{Name: "storage-data", Experiment: "storage-data", Runs: 2, Set: set{"nodes": "50"}},
		{Name: "storage-queries", Experiment: "storage-queries", Runs: 2, Set: set{"nodes": "50"}},
		{Name: "storage-bandwidth", Experiment: "storage-bandwidth", Runs: 2, Set: set{"nodes": "50"}},
		{Name: "storage-hops", Experiment: "storage-hops", Runs: 2, Set: set{"nodes": "50"}},
		{Name: "hardened-bandwidth", Experiment: "storage-bandwidth", Runs: 2, Set: set{"nodes": "50", "protocol": "hardened"}},
		{Name: "storage-attack", Experiment: "storage-attack", Runs: 2, Set: set{"nodes": "50", "malicious": "1,3", "whole": "yes"}},
		{Name: "hardened-worst", Experiment: "storage-attack", Search: true, Set: set{"nodes": "32", "malicious": "2", "protocol": "hardened", "attack": "worst"}},
		{Name: "time-warp", Experiment: "time-warp", Runs: 2, Set: set{"nodes": "8", "seconds": "10"}},
		{Name: "truth-voxel", Experiment: "truth-voxel", Set: set{"nodes": "16", "minutes": "1"}},
		{Name: "kademlia-lookups", Experiment: "kademlia-lookups", Set: set{"nodes": "300", "lookups": "50", "churn": "2"}},
		{Name: "kademlia-attack", Experiment: "kademlia-attack", Set: set{"nodes": "300", "lookups": "50"}},
		{Name: "world-digest", Experiment: "world-digest", Set: set{"seconds": "10"}},

		{Name: "overlay-structure", Experiment: "overlay-structure", Set: set{"iad": "60", "hours": "0.5"}},
		{Name: "overlay-scale", Experiment: "overlay-scale", Set: set{"nodes": "300", "minutes": "1"}},
		{Name: "thesis-minute", Experiment: "thesis-minute", Set: set{"nodes": "50", "r": "4"}},
		{Name: "truth-nodes", Experiment: "truth-nodes", Set: set{"updates": "1"}},
		{Name: "kademlia-rpcs", Experiment: "kademlia-rpcs", Set: set{"rpcs": "1000", "nodes": "100"}},
		{Name: "kademlia-peers", Experiment: "kademlia-peers", Set: set{"nodes": "20", "lookups": "10"}},
		{Name: "kademlia-memory", Experiment: "kademlia-memory", Set: set{"nodes": "50"}},
		{Name: "region-load", Experiment: "region-load", Set: set{"seconds": "2", "ramp": "0"}},
		{Name: "network-load", Experiment: "network-load", Set: set{"nodes": "4", "players": "20", "seconds": "5"}},
		{Name: "estimate", Experiment: "estimate"},
		{Name: "edit-latency", Experiment: "edit-latency", Set: set{"seconds": "5"}},
		{Name: "node-failure", Experiment: "node-failure", Set: set{"kills": "1"}},
		{Name: "total-loss", Experiment: "total-loss", Set: set{"losses": "1"}},
		{Name: "border-crossing", Experiment: "border-crossing", Set: set{"seconds": "20"}},
		{Name: "chaos", Experiment: "chaos", Set: set{"minutes": "1"}},
		{Name: "hostile-load", Experiment: "hostile-load"},
		{Name: "hostile-node", Experiment: "hostile-node"},
		{Name: "soak", Experiment: "soak", Set: set{"minutes": "1", "players": "20"}},
		{Name: "terrain", Experiment: "terrain", Set: set{"columns": "100", "picture": "64"}},
		{Name: "mesh", Experiment: "mesh", Set: set{"edge": "4"}},
		{Name: "page-load", Experiment: "page-load", Set: set{"visits": "1"}},
	}
}
