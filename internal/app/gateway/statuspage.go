package gateway

import (
	"fmt"
	"strings"
)

// statusPage is the status for people. It is written without package html/template:
// that calls methods by name, so the linker would keep all methods of the program.
func statusPage(s *Status) string {
	p := &htmlPage{}
	p.add(`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta http-equiv="refresh" content="5">
`)
	name := escapeHTML(s.World.Name)
	p.add("<title>" + name + " – status</title></head>\n<body><h1>" + name + "</h1>\n")
	p.table()
	p.fact("players", "%d (%d connections)", s.Players, s.Connections)
	p.fact("regions awake", "%d", s.Regions)
	p.fact("tick", "%d", s.Tick)
	p.fact("time of a tick", "%.2f ms median, %.2f ms p99, %.2f ms at most", s.TickP50, s.TickP99, s.TickMax)
	p.fact("ticks late", "%.2f ms p99", s.LateP99)
	p.fact("disk writes under way", "%d", s.DiskWrites)
	p.fact("disk", "%d writes in %d syncs, %d bytes, the slowest %.1f ms", s.Disk.Writes, s.Disk.Syncs, s.Disk.Bytes, s.Disk.MaxSyncMs)
	p.fact("frames sent", "%d", s.Frames)
	p.fact("bytes sent, received", "%d, %d", s.BytesOut, s.BytesIn)
	p.end()
	if s.Sharing != nil {
		p.sharing(s.Sharing)
	}
	if s.Hosting.Node != "" {
		p.hosting(&s.Hosting)
	}
	if len(s.Slowest) > 0 {
		p.add("<h2>slowest regions, last minute</h2>\n")
		p.table("x", "z", "players", "mobs", "watched by", "tick median", "p99", "at most")
		for _, l := range s.Slowest {
			p.row(fmt.Sprint(l.X), fmt.Sprint(l.Z), fmt.Sprint(l.Players), fmt.Sprint(l.Mobs), fmt.Sprint(l.Watched),
				fmt.Sprintf("%.2f ms", l.P50), fmt.Sprintf("%.2f ms", l.P99), fmt.Sprintf("%.2f ms", l.Max))
		}
		p.end()
	}
	p.add("</body></html>\n")
	return p.text.String()
}

// htmlMarks escapes what has a meaning in HTML. Package html would bring its table of all
// named characters along.
var htmlMarks = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;", "'", "&#39;")

func escapeHTML(text string) string { return htmlMarks.Replace(text) }

// htmlPage is a page of tables. What goes into cells is escaped.
type htmlPage struct{ text strings.Builder }

func (p *htmlPage) add(markup string) { p.text.WriteString(markup) }

// table begins one, with the heads of its columns.
func (p *htmlPage) table(heads ...string) {
	p.add("<table>")
	if len(heads) > 0 {
		p.add("<tr><th>" + strings.Join(heads, "</th><th>") + "</th></tr>")
	}
	p.add("\n")
}

func (p *htmlPage) end() { p.add("</table>\n") }

func (p *htmlPage) fact(name, format string, values ...any) {
	p.add(`<tr><th scope="row">` + name + "</th><td>" + escapeHTML(fmt.Sprintf(format, values...)) + "</td></tr>\n")
}

func (p *htmlPage) row(cells ...string) {
	p.add("<tr>")
	for _, c := range cells {
		p.add("<td>" + escapeHTML(c) + "</td>")
	}
	p.add("</tr>\n")
}

// none is the row of a table without any.
func (p *htmlPage) none(n int) {
	if n == 0 {
		p.add("<tr><td colspan=\"3\">none yet</td></tr>\n")
	}
}

func (p *htmlPage) sharing(s *Sharing) {
	p.add("<h2>to join</h2>\n")
	p.table()
	for _, page := range s.Pages {
		p.fact("friends play at", "%s", page)
	}
	if s.Invitation != "" {
		p.fact("nodes join by", "%s", s.Invitation)
	}
	p.end()
}

func (p *htmlPage) hosting(h *Hosting) {
	p.add("<h2>this node</h2>\n")
	p.table()
	p.fact("id", "%s", h.Node)
	p.fact("others join by", "%s", h.Address)
	p.fact("leads, has a replica of", "%d, %d shards of the world", h.Leads, h.Replicas)
	if len(h.Convicted) > 0 {
		p.fact("has proofs against", "%s", strings.Join(h.Convicted, ", "))
	}
	p.fact("bytes to, from other nodes", "%d, %d (%d packets dropped)", h.NetOut, h.NetIn, h.NetDrops)
	p.end()
	p.add("<h2>other nodes</h2>\n")
	p.table("node", "address", "round trip")
	for _, n := range h.Peers {
		trip := ""
		if n.Trip != 0 {
			trip = fmt.Sprintf("%.2f ms", n.Trip)
		}
		p.row(n.Node, n.Address, trip)
	}
	p.none(len(h.Peers))
	p.end()
	p.add("<h2>parts of the world</h2>\n")
	p.table("part", "this node", "leader", "members")
	for _, s := range h.Shards {
		name := s.Shard
		if !s.Awake {
			name += " (asleep)"
		}
		p.row(name, s.Role, s.Leader, strings.Join(s.Members, " "))
	}
	p.end()
	if h.Overlay != nil {
		p.overlay(h.Overlay)
	}
}

func (p *htmlPage) overlay(o *Overlay) {
	p.add("<h2>place in the overlay</h2>\n")
	p.table()
	state := "looking for its neighbours"
	if o.Stable {
		state = "stable"
	}
	p.fact("place", "%d, %d (%s, %d links)", o.Place[0], o.Place[1], state, o.Links)
	p.fact("cell, corners in metres", "%s", corners(o.Cell))
	p.fact("version of the revocations", "%d", o.Revocations)
	p.fact("reports of false views", "%d", o.Evidence)
	p.end()
	p.table("neighbour", "place", "cell")
	for _, n := range o.Neighbours {
		p.row(n.Node, fmt.Sprintf("%d, %d", n.Place[0], n.Place[1]), corners(n.Cell))
	}
	p.none(len(o.Neighbours))
	p.end()
}

func corners(cell [][2]int32) string {
	var b strings.Builder
	for _, c := range cell {
		fmt.Fprintf(&b, "(%d, %d) ", c[0], c[1])
	}
	return strings.TrimSpace(b.String())
}
