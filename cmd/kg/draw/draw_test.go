package draw

import (
	"encoding/xml"
	"strings"
	"testing"

	"github.com/kappagraph/kappa"
)

func TestSVG(t *testing.T) {
	nodes := []kappa.GraphNode{{ConceptID: "a_1", Label: "a <b> & \"c\"\nd", Degree: 5}, {ConceptID: "b_2", Label: "bee", Degree: 1}}
	edges := []kappa.SubgraphEdge{{FromID: "a_1", ToID: "b_2", Type: "CAUSES"}}
	picture := SVG(nodes, edges, 1)
	var got struct {
		Lines  []struct{} `xml:"line"`
		Points []struct{} `xml:"circle"`
		Labels []string   `xml:"text"`
	}
	if err := xml.Unmarshal([]byte(picture), &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Lines) != 1 || len(got.Points) != 2 || len(got.Labels) != 2 || got.Labels[0] != `a <b> & "c" d` {
		t.Errorf("got %+v", got)
	}
	if SVG(nodes, edges, 1) != picture || SVG(nodes, edges, 2) == picture && strings.Contains(picture, "NaN") {
		t.Error("the same seed gives another picture")
	}
	if err := xml.Unmarshal([]byte(SVG(nil, nil, 1)), &got); err != nil {
		t.Errorf("an empty graph: %v", err)
	}
}
