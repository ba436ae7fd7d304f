package main

import "github.com/evanw/esbuild/pkg/api"

// Stubs stand for the parts of three.js that are never reached: all our
// materials bring their own shaders, so nobody asks for its library of them (a
// third of its code); there are no lights of its kind, no shadow maps, no
// environment maps, no groups of uniforms, no output buffer, no headsets. Each has
// just what WebGLRenderer touches without using it.
var stubs = []struct{ file, contents string }{
	{`shaders[\\/]ShaderChunk\.js`, `export const ShaderChunk = {};`},
	{`shaders[\\/]ShaderLib\.js`, `export const ShaderLib = {};`},
	{`shaders[\\/]DFGLUTData\.js`, `export function getDFGLUT() { return null; }`},
	{`webgl[\\/]WebGLLights\.js`, `export class WebGLLights {
		state = { version: 0, sun: [], directional: [], point: [], spot: [], rectArea: [], hemi: [],
			spotLightMap: [], sunShadowMap: [], directionalShadowMap: [], pointShadowMap: [], spotShadowMap: [],
			numSpotLightShadowsWithMaps: 0, numLightProbes: 0 };
		setup() {} setupView() {}
	}`},
	{`webgl[\\/]WebGLUniformsGroups\.js`, `export class WebGLUniformsGroups { dispose() {} }`},
	{`webgl[\\/]WebGLOutput\.js`, `export class WebGLOutput {
		constructor() { throw new Error("an output buffer is not part of this build of three.js"); }
	}`},
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
