package draw

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/kappagraph/kappa/knowledge/projection"
)

const (
	titleSize   = 16.0 // of letters, in pixels of the sheet, as the next two
	clusterSize = 15.0
	itemSize    = 10.0
	dotRadius   = 3.0
	mostLabels  = 40 // items that are named, those with the most relationships
	labelLength = 28 // characters
)

// clusterColours are told apart by most people who see few colours (Paul Tol's "muted"
// and "bright"); more clusters begin again.
var clusterColours = []string{"#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377", "#332288", "#999933", "#882255", "#117733", "#cc6677", "#44aa99"}

const (
	noiseColour = "#bbbbbb"
	textColour  = "#000000"
	itemColour  = "#444444"
)

// ProjectionFormats are the formats that Projection writes.
func ProjectionFormats() []string { return []string{"svg", "png"} }

// Projection draws a projection: a dot for each item in the colour of its cluster, the
// names of the clusters, and with labels those of the items with the most relationships.
// Of three dimensions it shows the first two. The same projection gives the same bytes.
func Projection(w io.Writer, p projection.Projection, format string, labels bool) error {
	drawn := projectionSheet(p, labels)
	switch format {
	case "svg":
		return drawn.writeSVG(w)
	case "png":
		if err := drawn.writePNG(w); err != nil {
			return fmt.Errorf("draw the projection: %w", err)
		}
		return nil
	default:
		return fmt.Errorf("a projection is drawn as svg or png, not as %q", format)
	}
}

func projectionSheet(p projection.Projection, labels bool) sheet {
	title := fmt.Sprintf("%s of %s, by %s (%d items, %d clusters)", p.Source, strings.ReplaceAll(p.Ontology, projection.AllOntologies, "all ontologies"), p.Algorithm, len(p.Places), p.Statistics.Clusters)
	drawn := sheet{texts: []text{{at: point{sheetWidth / 2, titleSize * 1.5}, size: titleSize, colour: textColour, words: title}}}
	to := frameOf(p.Places)
	groups := map[int][]point{}
	for _, place := range p.Places {
		cluster := noiseGroup
		if place.Cluster != nil {
			cluster = *place.Cluster
		}
		groups[cluster] = append(groups[cluster], to.sheet(place))
	}
	for _, cluster := range slices.Sorted(maps.Keys(groups)) {
		for _, at := range groups[cluster] {
			drawn.dots = append(drawn.dots, dot{at, colourOf(cluster)})
		}
	}
	if labels {
		drawn.texts = append(drawn.texts, itemLabels(p.Places, to)...)
	}
	drawn.texts = append(drawn.texts, clusterNames(p, groups)...)
	return drawn
}

// noiseGroup are the items that belong to no cluster.
const noiseGroup = -1

func colourOf(cluster int) string {
	if cluster == noiseGroup {
		return noiseColour
	}
	return clusterColours[cluster%len(clusterColours)]
}

// clusterNames writes the name of each cluster in its middle.
func clusterNames(p projection.Projection, groups map[int][]point) []text {
	var names []text
	for _, cluster := range slices.Sorted(maps.Keys(groups)) {
		name := p.Statistics.ClusterNames[fmt.Sprint(cluster)]
		if cluster == noiseGroup || name == "" {
			continue
		}
		var middle point
		for _, at := range groups[cluster] {
			middle = middle.plus(point{at.x / float64(len(groups[cluster])), at.y / float64(len(groups[cluster]))})
		}
		names = append(names, text{middle, clusterSize, textColour, cut(name)})
	}
	return names
}

// itemLabels writes the labels of the items with the most relationships.
func itemLabels(places []projection.Place, to frame) []text {
	degree := func(p projection.Place) int {
		if p.Degree == nil {
			return 0
		}
		return *p.Degree
	}
	ordered := slices.Clone(places)
	slices.SortStableFunc(ordered, func(a, b projection.Place) int { return cmp.Compare(degree(b), degree(a)) })
	var labels []text
	for _, p := range ordered[:min(mostLabels, len(ordered))] {
		labels = append(labels, text{to.sheet(p).plus(point{0, -dotRadius - 2}), itemSize, itemColour, cut(p.Label)})
	}
	return labels
}

// frame says where on the sheet a place is.
type frame struct {
	least, scale point
}

// frameOf fits places into the sheet, below its title.
func frameOf(places []projection.Place) frame {
	if len(places) == 0 {
		return frame{}
	}
	least, most := point{places[0].X, places[0].Y}, point{places[0].X, places[0].Y}
	for _, p := range places {
		least = point{min(least.x, p.X), min(least.y, p.Y)}
		most = point{max(most.x, p.X), max(most.y, p.Y)}
	}
	return frame{least, point{(sheetWidth - 2*margin) / max(1e-9, most.x-least.x), (sheetHeight - 2*margin) / max(1e-9, most.y-least.y)}}
}

// sheet returns where a place is drawn; up is up.
func (f frame) sheet(p projection.Place) point {
	return point{margin + (p.X-f.least.x)*f.scale.x, sheetHeight - margin - (p.Y-f.least.y)*f.scale.y}
}

// cut returns a label of one short line without what cannot be drawn.
func cut(label string) string {
	runes := []rune(strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, label))
	if len(runes) > labelLength {
		return string(runes[:labelLength-1]) + "…"
	}
	return string(runes)
}
