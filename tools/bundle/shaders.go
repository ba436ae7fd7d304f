package main

import (
	"os"
	"regexp"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

var (
	shader  = regexp.MustCompile("(?s)/\\* glsl \\*/ `[^`]*`")
	comment = regexp.MustCompile(`//.*`)
	spaces  = regexp.MustCompile(` *([=+*/<>,;(){}?:-]) *`)
)

// shaders minifies the shaders in the client's template strings, which esbuild
// leaves as they are: no comments, no indentation, no spaces around operators.
func shaders() api.Plugin {
	return api.Plugin{Name: "shaders", Setup: func(b api.PluginBuild) {
		b.OnLoad(api.OnLoadOptions{Filter: `[\\/]src[\\/]engine[\\/].*\.ts$`}, func(a api.OnLoadArgs) (api.OnLoadResult, error) {
			src, err := os.ReadFile(a.Path)
			if err != nil {
				return api.OnLoadResult{}, err
			}
			out := shader.ReplaceAllStringFunc(string(src), minifyShader)
			return api.OnLoadResult{Contents: &out, Loader: api.LoaderTS}, nil
		})
	}}
}

// minifyShader keeps the lines, for the preprocessor reads them, and does not
// touch its own.
func minifyShader(s string) string {
	var out []string
	for _, line := range strings.Split(s[len("/* glsl */ "):], "\n") {
		line = strings.TrimSpace(comment.ReplaceAllString(line, ""))
		if line == "" {
			continue
		}
		if !strings.Contains(line, "#") && !strings.Contains(line, "${") {
			line = spaces.ReplaceAllString(line, "$1")
		}
		out = append(out, line)
	}
	return strings.Join(out, "\n")
}
