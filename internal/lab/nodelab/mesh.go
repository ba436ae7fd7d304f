package nodelab

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net"
	"net/http"
	"path"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world/terrain"
	"github.com/voxelpopuli/voxelpopuli/internal/lab"
	"github.com/voxelpopuli/voxelpopuli/web"
)

var Mesh = lab.Experiment{
	Name:   "mesh",
	Shows:  "how long the browser client's worker takes for the mesh of a 32³ chunk with ambient occlusion and light, in Chromium",
	Source: "naive JavaScript meshers take 1 to 4 ms",
	Settings: []lab.Setting{
		{Name: "edge", Default: "10", Unit: "columns", Text: "the land that is meshed: so many columns along each edge, the outermost only as neighbours"},
	},
	Run: runMesh,
}

// meshScript loads the columns into the client's own worker and lets it
// measureLoad itself.
const meshScript = `(async () => {
	const columns = await (await fetch('columns.json')).json();
	const worker = new Worker('worker.js', { type: 'module' });
	const result = new Promise((resolve, reject) => {
		worker.onerror = e => reject(new Error(e.message));
		worker.onmessage = e => { if (e.data.t === 'measured') resolve(e.data.result); };
	});
	for (const c of columns) {
		const deflated = Uint8Array.from(atob(c.deflated), ch => ch.charCodeAt(0));
		worker.postMessage({ t: 'column', x: c.pos.X, z: c.pos.Z, generation: 1, mask: c.mask, deflated });
	}
	worker.postMessage({ t: 'measure' });
	return result;
})()`

func runMesh(t *lab.Trial) error {
	edge := t.Int("edge", 3)
	if err := t.Settings(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(t.Context, 2*time.Minute)
	defer cancel()
	url, stop, err := serveMeshPage(packLand(t.Seed, edge))
	if err != nil {
		return err
	}
	defer stop()
	b, err := openBrowser(ctx)
	if err != nil {
		return err
	}
	defer b.close()
	t.Logf("meshing %d columns in Chromium", edge*edge)
	if err := b.open(ctx, url); err != nil {
		return err
	}
	if err := b.waitFor(ctx, "document.title === 'mesh' && crossOriginIsolated"); err != nil {
		return err
	}
	var r struct {
		Chunks, Quads     int
		Median, P95, Mean float64
	}
	if err := b.eval(ctx, meshScript, &r); err != nil {
		return err
	}
	if r.Chunks == 0 {
		return errors.New("the worker meshed nothing")
	}
	t.Metric("median_ms", r.Median, "ms")
	t.Metric("p95_ms", r.P95, "ms")
	t.Metric("mean_ms", r.Mean, "ms")
	t.Metric("quads_mean", float64(r.Quads)/float64(r.Chunks), "")
	t.Metric("chunks", float64(r.Chunks), "")
	return nil
}

// packLand packs the columns around the spawn.
func packLand(seed uint64, edge int) []*wire.Column {
	g := terrain.New(seed)
	from := g.Spawn().Column()
	var p wire.Packer
	var all []*wire.Column
	for i := range edge * edge {
		at := world.ColumnPos{X: from.X + int32(i%edge-edge/2), Z: from.Z + int32(i/edge-edge/2)}
		all = append(all, p.Column(g.Column(at)))
	}
	return all
}

// serveMeshPage serves an empty page with the client's worker and the columns
// beside it. The page is isolated, so its clock ticks every 5 µs and not every
// 100 µs.
func serveMeshPage(columns []*wire.Column) (url string, stop func(), err error) {
	land, err := json.Marshal(columns)
	if err != nil {
		return "", nil, err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	s := &http.Server{ReadHeaderTimeout: 5 * time.Second, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cross-Origin-Opener-Policy", "same-origin")
		w.Header().Set("Cross-Origin-Embedder-Policy", "require-corp")
		switch r.URL.Path {
		case "/":
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, "<!doctype html><title>mesh</title>")
		case "/columns.json":
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write(land) // the page notices
		default:
			for _, f := range web.Files() {
				if "/"+f.Name == r.URL.Path {
					w.Header().Set("Content-Type", mime.TypeByExtension(path.Ext(f.Name)))
					_, _ = w.Write(f.Plain)
					return
				}
			}
			http.NotFound(w, r)
		}
	})}
	go s.Serve(l)
	return "http://" + l.Addr().String() + "/", func() { s.Close() }, nil
}
