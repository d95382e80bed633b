package chart

import (
	"bufio"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// newReader returns text as its documents are read.
func newReader(text string) *bufio.Reader { return bufio.NewReader(strings.NewReader(text)) }

// scaledObject is what the chart sets of an object of KEDA, by the names that KEDA documents.
type scaledObject struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		ScaleTargetRef struct {
			Name string `json:"name"`
		} `json:"scaleTargetRef"`
		MinReplicaCount int32 `json:"minReplicaCount"`
		MaxReplicaCount int32 `json:"maxReplicaCount"`
		CooldownPeriod  int32 `json:"cooldownPeriod"`
		Triggers        []struct {
			Type     string            `json:"type"`
			Metadata map[string]string `json:"metadata"`
		} `json:"triggers"`
	} `json:"spec"`
}

// cluster is what it sets of one of CloudNativePG, likewise.
type cluster struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		Instances int    `json:"instances"`
		ImageName string `json:"imageName"`
		Bootstrap struct {
			InitDB struct {
				Database string `json:"database"`
				Owner    string `json:"owner"`
			} `json:"initdb"`
		} `json:"bootstrap"`
		Storage struct {
			Size         string `json:"size"`
			StorageClass string `json:"storageClass"`
		} `json:"storage"`
		PostgreSQL struct {
			Synchronous struct {
				Method string `json:"method"`
				Number int    `json:"number"`
			} `json:"synchronous"`
		} `json:"postgresql"`
	} `json:"spec"`
}
