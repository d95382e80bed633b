package chart

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	appsv1 "k8s.io/api/apps/v1"
	scalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	netv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/json"
	"sigs.k8s.io/yaml"

	monitorv1 "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
)

const folder = "../../deploy/helm/kappa"

// settings are the ways in which the chart is rendered.
var settings = map[string]string{
	"embedded database": `{}`,
	"external database": `
database: {mode: external, external: {existingSecret: db}}
tls: {existingSecret: kappa-tls, ca: true}
serviceMonitor: {enabled: true, existingSecret: scrape, labels: {release: prometheus}}`,
	"three servers": `
servers: {replicas: 3, tolerations: [{key: a, operator: Exists}], nodeSelector: {kubernetes.io/os: linux}}
database: {mode: cloudnative, cloudnative: {storageClass: fast}}
ingress: {enabled: true, host: kappa.example.com, tlsSecret: ingress-tls, className: nginx, trustedProxies: 10.0.0.0/8}
networkPolicy: {enabled: true, from: [{namespaceSelector: {matchLabels: {name: ingress}}}]}
settings: {KG_MAX_STREAMS: 1000, KG_SELF_REGISTRATION: "1"}
settingsFrom: [providers]
imagePullSecrets: [{name: registry}]`,
	"workers by KEDA": `
database: {mode: external, external: {existingSecret: db}}
workers: {enabled: true, types: "extract_chunk, exec", settingsFrom: [providers], autoscaling: {mode: keda, minReplicas: 0}}`,
	"workers by HPA": `
database: {mode: external, external: {existingSecret: db}}
tls: {existingSecret: kappa-tls, ca: true}
workers: {enabled: true, settings: {KG_LOG_LEVEL: debug}, autoscaling: {mode: hpa}}`,
	"NATS": `
servers: {replicas: 2}
database: {mode: external, external: {existingSecret: db}}
nats: {enabled: true}
networkPolicy: {enabled: true}`,
}

// render returns what the chart makes of values, by kind and name.
func render(t *testing.T, values string) (map[string]any, error) {
	t.Helper()
	c, err := loader.Load(folder)
	check(t, err)
	given, err := chartutil.ReadValues([]byte(values))
	check(t, err)
	all, err := chartutil.ToRenderValues(c, given, chartutil.ReleaseOptions{Name: "docs", Namespace: "prod", IsInstall: true}, chartutil.DefaultCapabilities)
	if err != nil {
		return nil, err
	}
	files, err := engine.Engine{Strict: true}.Render(c, all)
	if err != nil {
		return nil, err
	}
	objects := map[string]any{}
	for name, text := range files {
		if !strings.HasSuffix(name, ".yaml") {
			continue
		}
		documents := utilyaml.NewYAMLReader(newReader(text))
		for {
			document, err := documents.Read()
			if err == io.EOF {
				break
			}
			check(t, err)
			if onlyComments(document) {
				continue
			}
			key, object := decode(t, name, document)
			if objects[key] != nil {
				t.Errorf("%s is there twice", key)
			}
			objects[key] = object
		}
	}
	return objects, nil
}

// decode returns an object of Kubernetes. A member that its type does not have is an error.
func decode(t *testing.T, name string, document []byte) (string, any) {
	t.Helper()
	var head struct {
		APIVersion string `json:"apiVersion"`
		Kind       string
		Metadata   struct{ Name string }
	}
	check(t, yaml.Unmarshal(document, &head))
	types := map[string]func() any{
		"apps/v1 StatefulSet": func() any { return &appsv1.StatefulSet{} }, "apps/v1 Deployment": func() any { return &appsv1.Deployment{} },
		"v1 Service": func() any { return &corev1.Service{} }, "v1 Secret": func() any { return &corev1.Secret{} }, "v1 ConfigMap": func() any { return &corev1.ConfigMap{} },
		"networking.k8s.io/v1 Ingress": func() any { return &netv1.Ingress{} }, "networking.k8s.io/v1 NetworkPolicy": func() any { return &netv1.NetworkPolicy{} },
		"policy/v1 PodDisruptionBudget": func() any { return &policyv1.PodDisruptionBudget{} }, "autoscaling/v2 HorizontalPodAutoscaler": func() any { return &scalingv2.HorizontalPodAutoscaler{} },
		"monitoring.coreos.com/v1 ServiceMonitor": func() any { return &monitorv1.ServiceMonitor{} },
		"keda.sh/v1alpha1 ScaledObject":           func() any { return &scaledObject{} }, "postgresql.cnpg.io/v1 Cluster": func() any { return &cluster{} },
	}
	kind := head.APIVersion + " " + head.Kind
	if types[kind] == nil {
		t.Fatalf("%s has a %s, which no test knows:\n%s", name, kind, document)
	}
	object := types[kind]()
	text, err := yaml.YAMLToJSONStrict(document)
	check(t, err)
	strict, err := json.UnmarshalStrict(text, object) // with the case of names, as the API server
	if err = errors.Join(append(strict, err)...); err != nil {
		t.Fatalf("%s: %v\n%s", name, err, document)
	}
	return head.Kind + " " + head.Metadata.Name, object
}

// TestRendered renders the chart in every way, and wants what belongs together to be so.
func TestRendered(t *testing.T) {
	for name, want := range map[string]string{
		"embedded database": "ConfigMap docs-kappa, Secret docs-kappa-admin, Secret docs-kappa-keys, Service docs-kappa, StatefulSet docs-kappa",
		"external database": "ConfigMap docs-kappa, Deployment docs-kappa, Secret docs-kappa-admin, Secret docs-kappa-keys, Service docs-kappa, ServiceMonitor docs-kappa",
		"three servers":     "Cluster docs-kappa-db, ConfigMap docs-kappa, Deployment docs-kappa, Ingress docs-kappa, NetworkPolicy docs-kappa, NetworkPolicy docs-kappa-inner, PodDisruptionBudget docs-kappa, Secret docs-kappa-admin, Secret docs-kappa-keys, Service docs-kappa",
		"workers by KEDA":   "ConfigMap docs-kappa, Deployment docs-kappa, Deployment docs-kappa-worker, ScaledObject docs-kappa-worker, Secret docs-kappa-admin, Secret docs-kappa-keys, Secret docs-kappa-worker, Service docs-kappa",
		"workers by HPA":    "ConfigMap docs-kappa, Deployment docs-kappa, Deployment docs-kappa-worker, HorizontalPodAutoscaler docs-kappa-worker, Secret docs-kappa-admin, Secret docs-kappa-keys, Secret docs-kappa-worker, Service docs-kappa",
		"NATS":              "ConfigMap docs-kappa, Deployment docs-kappa, Deployment docs-kappa-nats, NetworkPolicy docs-kappa, NetworkPolicy docs-kappa-inner, PodDisruptionBudget docs-kappa, Secret docs-kappa-admin, Secret docs-kappa-keys, Secret docs-kappa-nats, Service docs-kappa, Service docs-kappa-nats",
	} {
		t.Run(name, func(t *testing.T) {
			objects, err := render(t, settings[name])
			check(t, err)
			var names []string
			for key := range objects {
				names = append(names, key)
			}
			slices.Sort(names)
			if got := strings.Join(names, ", "); got != want {
				t.Errorf("there is\n%s, want\n%s", got, want)
			}
			for key, pod := range pods(objects) {
				wantSafe(t, key, pod)
				wantWhole(t, key, pod, objects)
			}
			wantSelected(t, objects)
			wantSettings(t, objects["ConfigMap docs-kappa"].(*corev1.ConfigMap))
		})
	}
}

// pods returns the templates of pods.
func pods(objects map[string]any) map[string]corev1.PodTemplateSpec {
	found := map[string]corev1.PodTemplateSpec{}
	for key, object := range objects {
		switch o := object.(type) {
		case *appsv1.Deployment:
			found[key] = o.Spec.Template
		case *appsv1.StatefulSet:
			found[key] = o.Spec.Template
		}
	}
	return found
}

// wantSafe wants a pod that is nobody's root, and that is probed.
func wantSafe(t *testing.T, key string, pod corev1.PodTemplateSpec) {
	t.Helper()
	if s := pod.Spec.SecurityContext; s == nil || s.RunAsNonRoot == nil || !*s.RunAsNonRoot || s.SeccompProfile == nil || *pod.Spec.AutomountServiceAccountToken {
		t.Errorf("%s may be root, or ask the cluster", key)
	}
	for _, c := range pod.Spec.Containers {
		s := c.SecurityContext
		if s == nil || *s.AllowPrivilegeEscalation || !*s.ReadOnlyRootFilesystem || !slices.Equal(s.Capabilities.Drop, []corev1.Capability{"ALL"}) {
			t.Errorf("%s: %s has rights that it does not need", key, c.Name)
		}
		if c.LivenessProbe == nil || c.ReadinessProbe == nil || c.Resources.Requests.Memory().IsZero() || c.Resources.Limits.Memory().IsZero() {
			t.Errorf("%s: %s has no probes, or no bounds", key, c.Name)
		}
	}
}

// wantWhole wants the volumes of a pod to be there, and its Secrets to be made or named by values.
func wantWhole(t *testing.T, key string, pod corev1.PodTemplateSpec, objects map[string]any) {
	t.Helper()
	volumes := map[string]bool{}
	if o, ok := objects[key].(*appsv1.StatefulSet); ok {
		for _, claim := range o.Spec.VolumeClaimTemplates {
			volumes[claim.Name] = true
		}
	}
	wantSecret := func(name, member string) {
		if slices.Contains([]string{"db", "kappa-tls", "providers", "docs-kappa-db-app"}, name) {
			return // of others
		}
		secret, ok := objects["Secret "+name].(*corev1.Secret)
		if !ok || len(secret.Data[member]) == 0 {
			t.Errorf("%s: there is no Secret %s with %s", key, name, member)
		}
	}
	for _, v := range pod.Spec.Volumes {
		volumes[v.Name] = true
		if v.Projected != nil {
			for _, source := range v.Projected.Sources {
				wantSecret(source.Secret.Name, source.Secret.Items[0].Key)
			}
		}
	}
	for _, c := range pod.Spec.Containers {
		for _, m := range c.VolumeMounts {
			if !volumes[m.Name] {
				t.Errorf("%s: there is no volume %s", key, m.Name)
			}
		}
		for _, e := range c.Env {
			if e.ValueFrom != nil {
				wantSecret(e.ValueFrom.SecretKeyRef.Name, e.ValueFrom.SecretKeyRef.Key)
			}
		}
	}
}

// wantSelected wants every Service to select one kind of pods, and to name a port of theirs.
func wantSelected(t *testing.T, objects map[string]any) {
	t.Helper()
	for key, object := range objects {
		service, ok := object.(*corev1.Service)
		if !ok {
			continue
		}
		selected := 0
		for _, pod := range pods(objects) {
			if !matches(service.Spec.Selector, pod.Labels) {
				continue
			}
			selected++
			if !slices.ContainsFunc(pod.Spec.Containers[0].Ports, func(p corev1.ContainerPort) bool { return p.Name == service.Spec.Ports[0].TargetPort.StrVal }) {
				t.Errorf("%s leads to the port %s, which there is not", key, service.Spec.Ports[0].TargetPort.String())
			}
		}
		if selected != 1 {
			t.Errorf("%s selects %d kinds of pods", key, selected)
		}
	}
	for key, object := range objects {
		var selector, labels map[string]string
		switch o := object.(type) {
		case *appsv1.Deployment:
			selector, labels = o.Spec.Selector.MatchLabels, o.Spec.Template.Labels
		case *appsv1.StatefulSet:
			selector, labels = o.Spec.Selector.MatchLabels, o.Spec.Template.Labels
		default:
			continue
		}
		if !matches(selector, labels) {
			t.Errorf("%s does not select its own pods", key)
		}
	}
}

func matches(selector, labels map[string]string) bool {
	for name, value := range selector {
		if labels[name] != value {
			return false
		}
	}
	return len(selector) > 0
}

// wantSettings wants every setting to be one of kg serve.
func wantSettings(t *testing.T, m *corev1.ConfigMap) {
	t.Helper()
	text, err := os.ReadFile("../../deploy/kappa.env.example")
	check(t, err)
	for name := range m.Data {
		if !regexp.MustCompile(`(?m)^#` + name + `=`).Match(text) {
			t.Errorf("%s is no setting", name)
		}
	}
}

// TestSettingsOfServers says what servers are told in the ways that differ.
func TestSettingsOfServers(t *testing.T) {
	for name, want := range map[string]map[string]string{
		"embedded database": {"KG_LANES": "leader", "KG_PLAIN_HTTP": "1", "KG_ADDR": "0.0.0.0:8000"},
		"external database": {"KG_LANES": "all", "KG_PLAIN_HTTP": "", "KG_TLS_CERT": "/etc/kappa/tls/tls.crt"},
		"three servers":     {"KG_LANES": "all", "KG_MAX_STREAMS": "1000", "KG_TRUSTED_PROXIES": "10.0.0.0/8", "KG_EXTRACTOR": ""},
		"workers by KEDA":   {"KG_EXTRACTOR": "remote"},
	} {
		objects, err := render(t, settings[name])
		check(t, err)
		data := objects["ConfigMap docs-kappa"].(*corev1.ConfigMap).Data
		for setting, value := range want {
			if data[setting] != value {
				t.Errorf("%s: %s is %q, want %q", name, setting, data[setting], value)
			}
		}
		for _, pod := range pods(objects) {
			c := pod.Spec.Containers[0]
			if c.Name == "kappa" && string(c.ReadinessProbe.HTTPGet.Scheme) != map[bool]string{true: "HTTPS", false: "HTTP"}[data["KG_TLS_CERT"] != ""] {
				t.Errorf("%s: it is probed over %s", name, c.ReadinessProbe.HTTPGet.Scheme)
			}
			if c.Name == "kappa" && *pod.Spec.TerminationGracePeriodSeconds != 85 {
				t.Errorf("%s: it may stop for %d s", name, *pod.Spec.TerminationGracePeriodSeconds)
			}
		}
	}
}

// TestWorkersScale wants workers to be scaled by what waits for them, and by nothing else.
func TestWorkersScale(t *testing.T) {
	objects, err := render(t, settings["workers by KEDA"])
	check(t, err)
	if o := objects["Deployment docs-kappa-worker"].(*appsv1.Deployment); o.Spec.Replicas != nil {
		t.Error("an upgrade would set the number of workers back")
	}
	trigger := objects["ScaledObject docs-kappa-worker"].(*scaledObject).Spec.Triggers[0]
	if want := `sum(max by (job_type) (kappa_waiting_jobs{namespace="prod",job_type=~"extract_chunk|exec"})) or vector(0)`; trigger.Metadata["query"] != want || trigger.Metadata["threshold"] != "20" {
		t.Errorf("%v", trigger.Metadata)
	}
	objects, err = render(t, settings["workers by HPA"])
	check(t, err)
	hpa := objects["HorizontalPodAutoscaler docs-kappa-worker"].(*scalingv2.HorizontalPodAutoscaler).Spec
	if m := hpa.Metrics[0].External; m.Metric.Name != "kappa_waiting_jobs" || m.Metric.Selector.MatchExpressions[0].Values[0] != "extract_chunk" || m.Target.AverageValue.Value() != 20 {
		t.Errorf("%+v", m)
	}
	args := objects["Deployment docs-kappa-worker"].(*appsv1.Deployment).Spec.Template.Spec.Containers[0].Args
	if !slices.Contains(args, "--server=wss://docs-kappa:8000") {
		t.Errorf("%v", args)
	}
}

// TestSecrets wants secrets that are long, and that a server can read.
func TestSecrets(t *testing.T) {
	objects, err := render(t, settings["NATS"])
	check(t, err)
	key := objects["Secret docs-kappa-keys"].(*corev1.Secret)
	if raw, err := base64.StdEncoding.DecodeString(string(key.Data["secrets.key"])); err != nil || len(raw) != 32 || key.Annotations["helm.sh/resource-policy"] != "keep" {
		t.Errorf("the key has %d bytes (%v), %v", len(raw), err, key.Annotations)
	}
	nats := objects["Secret docs-kappa-nats"].(*corev1.Secret).Data
	if want := fmt.Sprintf("nats://%s@docs-kappa-nats:4222", nats["token"]); string(nats["url"]) != want || len(nats["token"]) != 48 {
		t.Errorf("NATS is at %s", nats["url"])
	}
}

// TestWrongValues refuses values that are none, and those that do not go together.
func TestWrongValues(t *testing.T) {
	for values, want := range map[string]string{
		`servers: {replicas: 2}`:                        "more than one server needs a database that they share",
		`database: {mode: external}`:                    "name the Secret that has the address of the database",
		`database: {mode: sqlite}`:                      "/database/mode",
		`replicas: 2`:                                   "replicas",
		`servers: {replica: 2}`:                         "replica",
		`settings: {kg_addr: x}`:                        "kg_addr",
		`ingress: {enabled: true}`:                      "name the host",
		`serviceMonitor: {enabled: true}`:               "metrics take a token",
		`nats: {enabled: true, existingSecret: a}`:      "set one of them",
		`workers: {enabled: true, types: "a; rm -rf"}`:  "/workers/types",
		`workers: {autoscaling: {mode: sometimes}}`:     "/workers/autoscaling/mode",
		`database: {embedded: {storage: "much"}}`:       "storage",
		`servers: {drainSeconds: "30 seconds"}`:         "drainSeconds",
		`image: {pullPolicy: Sometimes}`:                "pullPolicy",
		`tls: {existingSecret: a, key: b}`:              "key",
		`service: {port: 70000}`:                        "port",
		`workers: {settings: {"KG LOG": "x"}}`:          "KG LOG",
		`serviceMonitor: {enabled: true, interval: 30}`: "interval",
	} {
		if _, err := render(t, values); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", values, err, want)
		}
	}
}

// TestEveryValueIsUsed wants every value to be read by a template.
func TestEveryValueIsUsed(t *testing.T) {
	c, err := loader.Load(folder)
	check(t, err)
	var templates strings.Builder
	for _, file := range c.Templates {
		templates.Write(file.Data)
	}
	var walk func(path string, values map[string]any)
	walk = func(path string, values map[string]any) {
		for name, value := range values {
			if inner, ok := value.(map[string]any); ok && len(inner) > 0 && !slices.Contains([]string{"resources", "annotations", "podSecurityContext"}, name) {
				walk(path+"."+name, inner)
				continue
			}
			if !strings.Contains(templates.String(), "."+name) {
				t.Errorf("no template uses %s.%s", path, name)
			}
		}
	}
	walk("", c.Values)
}

// onlyComments reports whether a document has nothing but comments.
func onlyComments(document []byte) bool {
	for line := range bytes.Lines(document) {
		if line = bytes.TrimSpace(line); len(line) > 0 && line[0] != '#' && string(line) != "---" {
			return false
		}
	}
	return true
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestChartIsFound has the folder be the one that releases pack.
func TestChartIsFound(t *testing.T) {
	if _, err := os.Stat(filepath.Join(folder, "Chart.yaml")); err != nil {
		t.Fatal(err)
	}
}
