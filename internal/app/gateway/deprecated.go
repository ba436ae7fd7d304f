package gateway

import "github.com/prometheus/client_golang/prometheus"

// The names that /status and /metrics used for these figures before. They are
// shown beside the new ones for one version, for scripts that read them; the
// status says in "deprecated" that they end.

// statusWithOldNames is a Status as it is encoded.
type statusWithOldNames struct {
	Status
	Hosting    hostingWithOldNames `json:"hosting"`
	Deprecated string              `json:"deprecated"`
}

type hostingWithOldNames struct {
	Hosting
	Copies int         `json:"copies"`
	Parts  []oldShard  `json:"parts"`
	Truth  *oldStorage `json:"truth"`
}

type oldShard struct {
	Part    string   `json:"part"` // "hall" or "X,Z"
	Role    string   `json:"role"`
	Leader  string   `json:"leader"`
	Members []string `json:"members"`
	Awake   bool     `json:"awake"`
}

type oldStorage struct {
	*Storage
	Parts   []StoredCell `json:"parts"`
	Looked  int64        `json:"looked"`
	Look    []oldRegion  `json:"look"`
	Witness *oldAudit    `json:"witness"`
	Charges []Accusation `json:"charges"`
}

type oldRegion struct {
	ObservedRegion
	Voted bool `json:"voted"`
}

type oldAudit struct {
	*Audit
	Charges uint64 `json:"charges"`
}

const deprecation = "hosting.copies, hosting.parts and hosting.truth end with the next version; read hosting.replicas, hosting.shards and hosting.storage"

func withOldNames(s *Status) statusWithOldNames {
	h := hostingWithOldNames{Hosting: s.Hosting, Copies: s.Hosting.Replicas}
	for _, v := range s.Hosting.Shards {
		part := v.Shard
		if part == "lobby" {
			part = "hall"
		}
		h.Parts = append(h.Parts, oldShard{part, v.Role, v.Leader, v.Members, v.Awake})
	}
	if t := s.Hosting.Storage; t != nil {
		h.Truth = &oldStorage{Storage: t, Parts: t.Cells, Looked: t.ObservedAt, Charges: t.Accusations}
		for _, r := range t.Observed {
			h.Truth.Look = append(h.Truth.Look, oldRegion{r, r.Agreed})
		}
		if t.Audit != nil {
			h.Truth.Witness = &oldAudit{t.Audit, t.Audit.Accusations}
		}
	}
	return statusWithOldNames{Status: *s, Hosting: h, Deprecated: deprecation}
}

// renamedMetric is a figure under its name and its previous one.
type renamedMetric struct{ desc, old *prometheus.Desc }

func renamed(name, old, help string) renamedMetric {
	return renamedMetric{desc(name, help), desc(old, "Deprecated, ends with the next version: read voxelpopuli_"+name+".")}
}

func (m renamedMetric) describe(ch chan<- *prometheus.Desc) {
	ch <- m.desc
	ch <- m.old
}

func (m renamedMetric) collect(ch chan<- prometheus.Metric, kind prometheus.ValueType, v float64) {
	ch <- prometheus.MustNewConstMetric(m.desc, kind, v)
	ch <- prometheus.MustNewConstMetric(m.old, kind, v)
}
