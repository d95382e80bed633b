//go:build !race

package projection

// figureItems is how many the figures of docs/job-types.md are about.
const figureItems = 5000
