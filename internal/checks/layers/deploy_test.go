package layers

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestDeployment: as it is delivered, a node opens nothing to others that its owner has
// not asked for, and nobody else reads its folder.
func TestDeployment(t *testing.T) {
	for name, want := range map[string]struct{ has, hasNot []string }{
		"deploy/voxelpopuli.service": {
			has:    []string{`^UMask=0077$`, `^StateDirectoryMode=0700$`, `^DynamicUser=yes$`, `^NoNewPrivileges=yes$`, `^ExecStart=\S+ node$`},
			hasNot: []string{`^[^#\n]*(SHARE|--share|--nodes|--listen|0\.0\.0\.0|\[::\])`},
		},
		"Dockerfile": {
			has:    []string{`^FROM scratch$`, `^USER [1-9]\d*:[1-9]\d*$`, `^COPY .*--chmod=700 /data /data$`},
			hasNot: []string{`^USER (root|0)`, `^ADD https?:`},
		},
		"deploy/compose.yaml": {
			has:    []string{`read_only: true`, `cap_drop: \[ALL\]`, `no-new-privileges:true`},
			hasNot: []string{`^\s*ports: \["[^1]`, `^\s*ports: \["1[^2]`, `privileged: true`, `network_mode: host`}, // published on this machine only
		},
	} {
		b, err := os.ReadFile(root + name)
		if err != nil {
			t.Fatal(err)
		}
		text := strings.ReplaceAll(string(b), "\r\n", "\n")
		for _, pattern := range want.has {
			if !regexp.MustCompile("(?m)" + pattern).MatchString(text) {
				t.Errorf("%s has no line like %s", name, pattern)
			}
		}
		for _, pattern := range want.hasNot {
			if line := regexp.MustCompile("(?m)" + pattern + ".*").FindString(text); line != "" {
				t.Errorf("%s: %q", name, line)
			}
		}
		if stages := regexp.MustCompile(`(?m)^FROM .*`).FindAllString(text, -1); name == "Dockerfile" && stages[len(stages)-1] != "FROM scratch" {
			t.Errorf("the image is built on %q", stages[len(stages)-1])
		}
	}
}
