package lab

import "time"

// sample is the state of this process at one moment.
type sample struct {
	at       float64 // seconds since sampling began
	cpu      float64 // per cent of a core, since the sample before
	resident float64 // MB
}

const sampleEvery = 500 * time.Millisecond

// sampleNode samples this process, which the node runs in, until stop is called;
// then out has the samples.
func sampleNode(out *[]sample) (stop func()) {
	end, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		began := time.Now()
		at, cpu := began, cpuTime()
		ticker := time.NewTicker(sampleEvery)
		defer ticker.Stop()
		for {
			select {
			case <-end:
				return
			case <-ticker.C:
			}
			now, used := time.Now(), cpuTime()
			*out = append(*out, sample{
				at:  now.Sub(began).Seconds(),
				cpu: 100 * (used - cpu).Seconds() / now.Sub(at).Seconds(), resident: readMemory().Resident,
			})
			at, cpu = now, used
		}
	}()
	return func() {
		close(end)
		<-ended
	}
}

// lastOf returns the samples of the last seconds, their time counted from there.
func lastOf(samples []sample, seconds float64) (out []sample) {
	for i := range samples {
		s := samples[i]
		if s.at -= samples[len(samples)-1].at - seconds; s.at >= 0 {
			out = append(out, s)
		}
	}
	return out
}

// plotSamples makes a line of one value of the samples.
func plotSamples(name string, samples []sample, value func(*sample) float64) Series {
	s := Series{Name: name}
	for i := range samples {
		s.Points = append(s.Points, [2]float64{samples[i].at, value(&samples[i])})
	}
	return s
}
