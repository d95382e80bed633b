//go:build race

package projection

// figureItems are enough for the Barnes–Hut tree: the race detector makes each of them
// twenty times as slow.
const figureItems = 2500
