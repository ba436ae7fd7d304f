package lab

import "time"

// Sample is the state of this process at one moment.
type Sample struct {
	at       float64 // seconds since sampling began
	CPU      float64 // per cent of a core, since the sample before
	Resident float64 // MB
}

const sampleEvery = 500 * time.Millisecond

// SampleNode samples this process, which the node runs in, until stop is called;
// then out has the samples.
func SampleNode(out *[]Sample) (stop func()) {
	end, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		began := time.Now()
		at, cpu := began, CPUTime()
		ticker := time.NewTicker(sampleEvery)
		defer ticker.Stop()
		for {
			select {
			case <-end:
				return
			case <-ticker.C:
			}
			now, used := time.Now(), CPUTime()
			*out = append(*out, Sample{
				at:  now.Sub(began).Seconds(),
				CPU: 100 * (used - cpu).Seconds() / now.Sub(at).Seconds(), Resident: ReadMemory().Resident,
			})
			at, cpu = now, used
		}
	}()
	return func() {
		close(end)
		<-ended
	}
}

// LastOf returns the samples of the last seconds, their time counted from there.
func LastOf(samples []Sample, seconds float64) (out []Sample) {
	for i := range samples {
		s := samples[i]
		if s.at -= samples[len(samples)-1].at - seconds; s.at >= 0 {
			out = append(out, s)
		}
	}
	return out
}

// PlotSamples makes a line of one value of the samples.
func PlotSamples(name string, samples []Sample, value func(*Sample) float64) Series {
	s := Series{Name: name}
	for i := range samples {
		s.Points = append(s.Points, [2]float64{samples[i].at, value(&samples[i])})
	}
	return s
}
