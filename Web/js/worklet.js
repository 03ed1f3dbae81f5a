// On the audio thread: gathers what the microphone gives into pieces of 32 ms and hands them over with their loudest sample.
class Gatherer extends AudioWorkletProcessor {
  constructor() {
    super();
    this.size = Math.round(sampleRate * 0.032);
    this.fresh();
  }
  fresh() { Object.assign(this, { piece: new Int16Array(this.size), filled: 0, peak: 0 }); }
  process([[channel]]) {
    for (const sample of channel ?? []) {
      this.peak = Math.max(this.peak, Math.abs(sample));
      this.piece[this.filled] = Math.max(-1, Math.min(1, sample)) * 32767;
      this.filled += 1;
      if (this.filled < this.size) continue;
      this.port.postMessage({ sound: this.piece, peak: this.peak }, [this.piece.buffer]);
      this.fresh();
    }
    return true;
  }
}
registerProcessor('gatherer', Gatherer);
