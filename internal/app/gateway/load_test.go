package gateway_test

import (
	"context"
	"flag"
	"log/slog"
	"net"
	"os"
	"runtime"
	"runtime/pprof"
	"syscall"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/app/bot"
	"github.com/voxelpopuli/voxelpopuli/internal/app/client/clienttest"
	"github.com/voxelpopuli/voxelpopuli/internal/app/gateway"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/net/transport"
)

var (
	loadPlayers = flag.Int("players", 100, "players in BenchmarkCrowd")
	loadTime    = flag.Duration("loadtime", 10*time.Second, "how long BenchmarkCrowd measures")
	loadProfile = flag.String("loadprofile", "", "file for a CPU profile of the measured time")
	loadPipe    = flag.Bool("pipe", false, "BenchmarkCrowd without WebSockets")
)

// BenchmarkCrowd puts players into one crowd, all in sight of each other and
// moving all the time, over WebSockets on loopback, with the bots on the same
// processors:
//
//	go test -run - -bench Crowd -benchtime 1x ./internal/app/gateway -players 500
func BenchmarkCrowd(b *testing.B) {
	w := clienttest.Start(b, world.Survival)
	cfg := bot.Config{Players: *loadPlayers, Behaviour: "crowd", Ramp: 150}
	if *loadPipe {
		cfg.Join = w.Node.Join
	} else {
		cfg.Addr = serve(b, gateway.Config{Game: gateway.Node{Node: w.Node}, Log: slog.New(slog.DiscardHandler)})
	}
	for range b.N {
		crowd(b, w, cfg)
	}
}

func crowd(b *testing.B, w *clienttest.World, cfg bot.Config) {
	cfg.Duration = *loadTime
	var before, after transport.Stats
	var cpu time.Duration
	var mem runtime.MemStats
	cfg.Measuring = func(on bool) {
		s, err := w.Loop.Stats(context.Background())
		if err != nil {
			b.Fatal(err)
		}
		if on {
			before, cpu = s, -cpuTime()
			if *loadProfile != "" {
				f, err := os.Create(*loadProfile)
				if err != nil {
					b.Fatal(err)
				}
				pprof.StartCPUProfile(f)
			}
			return
		}
		pprof.StopCPUProfile()
		runtime.ReadMemStats(&mem)
		after, cpu = s, cpu+cpuTime()
	}
	if testing.Verbose() {
		cfg.Progress = func(p bot.Progress) { b.Logf("%+v", p) }
	}
	sum, err := bot.Run(context.Background(), cfg)
	if err != nil {
		b.Fatal(err)
	}
	sum.Print(os.Stderr)
	ticks, late := after.Timer.Since(&before.Timer), after.Late.Since(&before.Late)
	ms := func(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
	b.ReportMetric(ms(ticks.Quantile(0.5)), "tick-p50-ms")
	b.ReportMetric(ms(ticks.Quantile(0.99)), "tick-p99-ms")
	b.ReportMetric(ms(late.Quantile(0.99)), "late-p99-ms")
	b.ReportMetric(100*sum.Delivered, "delivered-%")
	b.ReportMetric(sum.DeliveryHz/1e6/cpu.Seconds()*sum.Duration.Seconds(), "Mmoves/core-s")
	b.ReportMetric(cpu.Seconds()/sum.Duration.Seconds(), "cores")
	b.ReportMetric(sum.ByteRate/1000, "kB/s/player")
	b.ReportMetric(float64(mem.HeapInuse+mem.StackInuse)/float64(sum.Players)/1024, "kB/player")
}

func cpuTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// serve runs a gateway on loopback until the test ends and returns its address.
func serve(t testing.TB, cfg gateway.Config) string {
	t.Helper()
	g, err := gateway.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- g.Serve(l) }()
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := g.Shutdown(ctx); err != nil {
			t.Errorf("shutdown: %v", err)
		}
		if err := <-done; err != nil {
			t.Errorf("serve: %v", err)
		}
	})
	return l.Addr().String()
}
