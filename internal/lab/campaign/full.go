package campaign

type set = map[string]string

// The thesis' scenarios (6.3.1, 6.3.4, 6.4.1).
const (
	thesisIADs      = "6,7,8,9,10,11,12,13,14,15,17,18,20,25"
	thesisAttacks   = "100+5,100+10,200+10,100+20,200+20,100+30,200+40,200+60"
	thesisSizes     = "200,400,600,800,1000"
	thesisZones     = "4,9,16"
	thesisRuns      = 10
	thesisStorageMB = 1600 // n = 1000, r = 16
)

// thesisMalicious are the numbers of malicious nodes of tables 6.29 to 6.31.
var thesisMalicious = []struct{ r, malicious string }{
	{"4", "1,2,3,4,5,6,7,8,9,10"},
	{"9", "15,18,19,20,25,30,35,40,50,75"},
	{"16", "35,37,38,39,40,45,49,60,75,100"},
}

// fullParts are the sources' tables and figures at their size, and what the project
// measures beyond them.
func fullParts() []Part {
	parts := []Part{
		{Name: "overlay-tables", Experiment: "overlay-tables", Runs: thesisRuns, MB: 250, Of: "thesis 6.1–6.5, 6.7–6.10, figure 6.4",
			Set: set{"iad": thesisIADs, "hours": "8", "start": thesisSizes}},
		{Name: "delaunay-degrees", Experiment: "delaunay-degrees", Runs: thesisRuns, Of: "thesis 6.6"},
		{Name: "overlay-traffic", Experiment: "overlay-traffic", Runs: thesisRuns, MB: 250, Of: "thesis figures 6.5–6.9",
			Set: set{"iad": thesisIADs, "hours": "8"}},
		{Name: "overlay-attack", Experiment: "overlay-attack", Runs: thesisRuns, MB: 250, Of: "thesis 6.11, 6.12",
			Set: set{"iad": "6", "hours": "8", "scenarios": thesisAttacks}},
		{Name: "overlay-hops", Experiment: "overlay-hops", Runs: thesisRuns, MB: 100, Of: "thesis 4.2.4, 4.7",
			Set: set{"nodes": "50,100,200,400,1000", "r": thesisZones}},
		{Name: "overlay-scenarios", Experiment: "overlay-scenarios", Runs: thesisRuns, MB: 100, Of: "thesis 4.3, 4.7, 6.3.2"},
		{Name: "storage-data", Experiment: "storage-data", Runs: thesisRuns, MB: thesisStorageMB, Of: "thesis 6.13–6.16",
			Set: set{"nodes": thesisSizes, "r": thesisZones}},
		{Name: "storage-queries", Experiment: "storage-queries", Runs: thesisRuns, MB: thesisStorageMB, Of: "thesis 6.17–6.19",
			Set: set{"nodes": thesisSizes, "r": thesisZones}},
		{Name: "storage-bandwidth", Experiment: "storage-bandwidth", Runs: thesisRuns, MB: thesisStorageMB, Of: "thesis 6.20–6.26, figures 6.10–6.12",
			Set: set{"nodes": thesisSizes, "r": thesisZones}},
		{Name: "storage-hops", Experiment: "storage-hops", Runs: thesisRuns, MB: thesisStorageMB, Of: "thesis 6.19, 6.27, 6.28",
			Set: set{"nodes": thesisSizes, "r": thesisZones}},
		{Name: "hardened-data", Experiment: "storage-data", Runs: thesisRuns, MB: thesisStorageMB, Of: "the same, hardened",
			Set: set{"nodes": thesisSizes, "r": thesisZones, "protocol": "hardened"}},
		{Name: "hardened-bandwidth", Experiment: "storage-bandwidth", Runs: thesisRuns, MB: thesisStorageMB, Of: "the same, hardened",
			Set: set{"nodes": thesisSizes, "r": thesisZones, "protocol": "hardened"}},
	}
	for _, a := range thesisMalicious {
		parts = append(parts, Part{Name: "storage-attack-r" + a.r, Experiment: "storage-attack", Runs: thesisRuns, MB: thesisStorageMB, Of: "thesis 6.29–6.40",
			Set: set{"nodes": "1000", "r": a.r, "malicious": a.malicious, "whole": "yes"}})
	}
	for _, a := range []struct{ r, malicious, most string }{{"4", "20,40", "40"}, {"9", "80,120", "120"}, {"16", "140,190", "190"}} {
		parts = append(parts,
			Part{Name: "hardened-attack-r" + a.r, Experiment: "storage-attack", Runs: 30, MB: thesisStorageMB, Of: "tolerated share",
				Set: set{"nodes": "1000", "r": a.r, "malicious": a.malicious, "protocol": "hardened"}},
			Part{Name: "hardened-worst-r" + a.r, Experiment: "storage-attack", Runs: 30, MB: thesisStorageMB, Of: "tolerated share, worst attack",
				Set: set{"nodes": "1000", "r": a.r, "most": a.most, "protocol": "hardened", "attack": "worst", "scout": "3"}})
	}
	parts = append(parts,
		Part{Name: "storage-heatmap", Experiment: "storage-heatmap", Runs: thesisRuns, MB: thesisStorageMB, Of: "fallen runs by share, r and attacker",
			Set: set{"nodes": "1000", "shares": "1,2,4,8,14,19"}},
		Part{Name: "siege-hour", Experiment: "storage-siege", Runs: 3, MB: 600, Of: "an hour at half of the tolerated share",
			Set: set{"nodes": "200", "minutes": "60", "malicious": "2"}},
		Part{Name: "siege-hour-full", Experiment: "storage-siege", Runs: 3, MB: 600, Of: "an hour at the tolerated share",
			Set: set{"nodes": "200", "minutes": "60", "malicious": "4"}},
		Part{Name: "siege-day", Experiment: "storage-siege", MB: 1000, Of: "a day at half of the tolerated share",
			Set: set{"nodes": "200", "minutes": "1440", "malicious": "2"}},
		Part{Name: "time-warp", Experiment: "time-warp", Runs: thesisRuns, Of: "thesis 3.1"},
		Part{Name: "truth-voxel", Experiment: "truth-voxel", MB: 6000, Set: set{"nodes": "1000", "minutes": "60"}},
		Part{Name: "kademlia-lookups", Experiment: "kademlia-lookups", MB: 8000, Of: "dissertation figure 4.2",
			Set: set{"nodes": "100000", "build": "fill"}},
		Part{Name: "kademlia-attack", Experiment: "kademlia-attack", MB: 500, Set: set{"attack": "all"}},
		Part{Name: "world-digest", Experiment: "world-digest"},
		Part{Name: "progress", Experiment: "progress", Runs: 5},
	)
	return append(parts, machineParts()...)
}

// machineParts measure the machine and run alone.
func machineParts() []Part {
	return []Part{
		{Name: "overlay-structure", Experiment: "overlay-structure", Set: set{"iad": "6", "r": "16", "hours": "8"}},
		{Name: "overlay-scale", Experiment: "overlay-scale", Set: set{"nodes": "10000", "minutes": "60"}},
		{Name: "thesis-minute", Experiment: "thesis-minute", Of: "thesis 6.4.1"},
		{Name: "truth-nodes", Experiment: "truth-nodes"},
		{Name: "kademlia-rpcs", Experiment: "kademlia-rpcs", Of: "dissertation figure 4.1"},
		{Name: "kademlia-peers", Experiment: "kademlia-peers"},
		{Name: "kademlia-memory", Experiment: "kademlia-memory", Set: set{"nodes": "1000"}},
		{Name: "region-load", Experiment: "region-load", Of: "dissertation figures 4.3–4.5"},
		{Name: "network-load", Experiment: "network-load", Of: "dissertation figure 4.6",
			Set: set{"nodes": "100", "players": "1000", "seconds": "3600"}},
		{Name: "estimate", Experiment: "estimate", Of: "dissertation 4.6.1"},
		{Name: "edit-latency", Experiment: "edit-latency"},
		{Name: "node-failure", Experiment: "node-failure", Of: "dissertation 4.5"},
		{Name: "total-loss", Experiment: "total-loss"},
		{Name: "takeover", Experiment: "takeover"},
		{Name: "old-disk", Experiment: "old-disk"},
		{Name: "spares-cost", Experiment: "spares-cost"},
		{Name: "history-cost", Experiment: "history-cost"},
		{Name: "sybil-hosting", Experiment: "sybil-hosting"},
		{Name: "lie-lifetime", Experiment: "lie-lifetime"},
		{Name: "lying-host", Experiment: "lying-host"},
		{Name: "checking-cost", Experiment: "checking-cost"},
		{Name: "join-by-link", Experiment: "join-by-link"},
		{Name: "lossy-play", Experiment: "lossy-play"},
		{Name: "border-crossing", Experiment: "border-crossing"},
		{Name: "chaos", Experiment: "chaos"},
		{Name: "hostile-load", Experiment: "hostile-load"},
		{Name: "hostile-node", Experiment: "hostile-node"},
		{Name: "soak", Experiment: "soak"},
		{Name: "terrain", Experiment: "terrain"},
		{Name: "mesh", Experiment: "mesh"},
		{Name: "page-load", Experiment: "page-load", Of: "dissertation 4.4"},
	}
}
