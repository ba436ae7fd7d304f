package overlaylab

// Where and why the overlay's figures are not the thesis'.

const (
	differsRuns = "Arrivals, lives and places are drawn anew: the number of nodes differs by a few percent from the thesis', and with it all that grows with it."
	differsR9   = "r = 9: the thesis never fills more than 24 of 32 entries, its 4.5.4 allows 27. Its figures come out if nodes stand in the first ninth of their zones (narrow=yes), fuller tables with narrow=no."
	differsSize = "Bytes: the thesis does not say what is in its payloads. Ours are about 70 bytes, its 170 and more if headers are 116; the numbers of messages can be compared, bytes cannot."
)

var differsTables = []string{
	differsRuns,
	"Fill: 1 to 2 % more than the thesis. An entry that was lost is asked for up to four times, requests that end just outside a zone are handed on, and a negative interest that is taken back is said: the thesis names the lack of that as the cause of its empty entries (6.3.2).",
	"Closest: 99.7 % and more instead of 87 to 97 %. Hints (ours) bring a node that has joined to those whose targets lie in its cell; the thesis waits until a request happens to come by.",
	"Symmetric: as in the thesis; it follows from where nodes stand, not from the protocol.",
	differsR9,
}

var differsTraffic = []string{
	differsRuns,
	"Messages: without our hints and audits there would be a sixth fewer than the thesis'; hints make them about as many, audits a quarter to a third more.",
	differsSize,
	"All of the link layer counts handshakes and closings of TCP and certificates, as figures 6.5 and 6.6 of the thesis do; gross (figures 6.7 to 6.9) is messages and their headers alone.",
}

var differsAttack = []string{
	differsRuns,
	"Shares: far below the attackers' share of the network where the thesis has that share or more. Each node that gets into a table is sent one request with a known answer (audit, ours); who answers it itself, twice, is kept out for an hour. The rest is attackers that were not audited yet: it takes 30 to 45 s.",
	"With wary=yes attackers answer only for entries that they fit. No audit finds them, but the nearest node replaces them as it replaces anybody: they have their share of the network, give or take where they stand.",
	"Eclipsed: counted like the thesis' (the bootstrapping service names malicious nodes only); it depends on the draw of at most r names and on nothing that nodes do.",
	differsR9,
}

var differsHops = []string{
	"The thesis bounds hops by the digits of a key (4.2.4) and gives no figures for unicasts of the overlay alone; those of its queries are in storage-hops.",
	"Areacasts under churn: the thesis estimates p = (1 − m)^(hops + receivers), for m of the nodes that drop what they get, and has no figures. Here a silent failure is m until it is noticed; then those round the failed node hand each other what came within the last 30 s (ours).",
}

var differsScenarios = []string{
	"The thesis has joins and departures only (6.3.1); mass failures, partitions and silent failures are ours, and so is what heals them: all views that are known count, ghosts of failed neighbours, asking again, looking for strangers.",
}

var differsScale = []string{
	"The thesis' largest networks have 1,200 nodes. Time is one core's; the thesis needed 0.5 to 6.5 hours for 8 hours with at most 1,200.",
}
