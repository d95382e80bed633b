package questions

// PolarityResult is the answer to a PolarityQuery. All its numbers are finite.
type PolarityResult struct {
	Success     bool                 `json:"success"` // always true: what fails is an error
	Axis        PolarityAxis         `json:"axis"`
	Projections []PolarityProjection `json:"projections"` // by position, the most positive first
	Statistics  PolarityStatistics   `json:"statistics"`
	Correlation PolarityCorrelation  `json:"grounding_correlation"`
	// Skipped are the ids of Candidates that were left out: no concept has the id, or
	// the concept has no embedding.
	Skipped    []string `json:"skipped_candidates"`
	GraphEpoch int64    `json:"graph_epoch"` // of the graph that was read
	Completeness
}

// The words for the quality of an axis.
const (
	AxisStrong = "strong" // its poles are far apart
	AxisWeak   = "weak"
)

// PolarityAxis is the line from the negative pole to the positive one, through the
// space of the embeddings.
type PolarityAxis struct {
	Positive  PolarityPole `json:"positive_pole"`
	Negative  PolarityPole `json:"negative_pole"`
	Magnitude float64      `json:"magnitude"`    // the distance of the poles
	Quality   string       `json:"axis_quality"` // AxisStrong or AxisWeak
}

// PolarityPole is a concept at an end of an axis.
type PolarityPole struct {
	ConceptID   string  `json:"concept_id"`
	Label       string  `json:"label"`
	Grounding   float64 `json:"grounding"` // 0 when it is not known
	Description *string `json:"description"`
}

// The words for the side of an axis on which a concept stands.
const (
	SidePositive = "positive" // its position is above 0.3
	SideNegative = "negative" // below -0.3
	SideNeutral  = "neutral"
)

// PolarityProjection is where a concept stands on an axis.
type PolarityProjection struct {
	ConceptID    string            `json:"concept_id"`
	Label        string            `json:"label"`
	Position     float64           `json:"position"`      // 1 at the positive pole, -1 at the negative one; it may lie beyond them
	AxisDistance float64           `json:"axis_distance"` // from the nearest point of the line
	Direction    string            `json:"direction"`     // SidePositive, SideNegative or SideNeutral
	Grounding    float64           `json:"grounding"`     // 0 when it is not known
	Alignment    PolarityAlignment `json:"alignment"`
}

// PolarityAlignment is how similar a concept is to each pole: the cosine, -1 to 1.
type PolarityAlignment struct {
	Positive float64 `json:"positive_pole_similarity"`
	Negative float64 `json:"negative_pole_similarity"`
}

// PolarityStatistics sum up the projections; all of it is 0 without any.
type PolarityStatistics struct {
	Total            int            `json:"total_concepts"`
	PositionRange    [2]float64     `json:"position_range"` // least and greatest
	MeanPosition     float64        `json:"mean_position"`
	Deviation        float64        `json:"std_deviation"` // of the positions
	MeanAxisDistance float64        `json:"mean_axis_distance"`
	Directions       PolarityCounts `json:"direction_distribution"`
}

// PolarityCounts is how many concepts stand on each side.
type PolarityCounts struct {
	Positive int `json:"positive"`
	Negative int `json:"negative"`
	Neutral  int `json:"neutral"`
}

// PolarityCorrelation says whether the concepts near one of the poles are better
// grounded: Pearson's correlation of position and grounding. Fewer than three
// concepts, or all with the same position or grounding, have none: r is 0 and p is 1.
type PolarityCorrelation struct {
	R              float64 `json:"pearson_r"`
	P              float64 `json:"p_value"` // two-sided: how likely such an r is by chance
	Interpretation string  `json:"interpretation"`
	Strength       *string `json:"strength"`  // strong, moderate or weak; null without a correlation
	Direction      *string `json:"direction"` // positive or negative; null without a correlation
}
