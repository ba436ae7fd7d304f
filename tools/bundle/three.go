package main

import "github.com/evanw/esbuild/pkg/api"

// Stubs stand for the parts of three.js that are never reached: all our
// materials bring their own shaders, so nobody asks for its library of them (a
// third of its code); there are no shadow maps, no environment maps, no
// headsets. Each has just what WebGLRenderer touches without using it.
var stubs = []struct{ file, contents string }{
	{`shaders[\\/]ShaderChunk[\\/].*\.glsl\.js`, `export default "";`},
	{`shaders[\\/]ShaderLib[\\/].*\.glsl\.js`, `export const vertex = "", fragment = "";`},
	{`shaders[\\/]DFGLUTData\.js`, `export function getDFGLUT() { return null; }`},
	{`webgl[\\/]WebGLMaterials\.js`, `export class WebGLMaterials {
		refreshFogUniforms() {} refreshMaterialUniforms() {}
	}`},
	{`webgl[\\/]WebGLShadowMap\.js`, `export class WebGLShadowMap { enabled = false; render() {} }`},
	{`webxr[\\/]WebXRManager\.js`, `export class WebXRManager {
		enabled = false; isPresenting = false;
		addEventListener() {} removeEventListener() {} setAnimationLoop() {} dispose() {}
		getEnvironmentBlendMode() {} hasDepthSensing() { return false; }
	}`},
	{`extras[\\/]PMREMGenerator\.js`, `export class PMREMGenerator {
		constructor() { throw new Error("environment maps are not part of this build of three.js"); }
	}`},
}

// lean bundles three.js from its single modules, with the stubs in place.
func lean() api.Plugin {
	return api.Plugin{Name: "lean-three", Setup: func(b api.PluginBuild) {
		for _, s := range stubs {
			filter := `[\\/]three[\\/]src[\\/].*` + s.file + `$`
			b.OnLoad(api.OnLoadOptions{Filter: filter}, func(api.OnLoadArgs) (api.OnLoadResult, error) {
				return api.OnLoadResult{Contents: &s.contents, Loader: api.LoaderJS}, nil
			})
		}
	}}
}
