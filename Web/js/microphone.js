// The microphone of this browser, and the way of its sound to the program: small requests, each sent until it has arrived.
import { call, start } from './api.js';
import { Failure } from './session.js';
import { w } from './words.js';

/** Asks for the microphone; `hear(sound, peak)` gets pieces of 32 ms. Returns its rate and how to switch it off. */
export async function open(hear) {
  if (!navigator.mediaDevices) throw new Failure({ code: 'microphone_insecure', ...w.microphone.insecure });
  let stream;
  try {
    stream = await navigator.mediaDevices.getUserMedia({ audio: { channelCount: 1, echoCancellation: true, noiseSuppression: true, autoGainControl: true } });
  } catch (error) {
    const why = { NotAllowedError: 'denied', SecurityError: 'denied', NotFoundError: 'none', OverconstrainedError: 'none' }[error.name] ?? 'busy';
    throw new Failure({ code: `microphone_${why}`, ...w.microphone[why] });
  }
  let context = new AudioContext({ sampleRate: 16000 });
  let source;
  try { source = context.createMediaStreamSource(stream); } catch {
    // A browser that cannot convert sends the device's own rate; the program converts it.
    context.close();
    context = new AudioContext();
    source = context.createMediaStreamSource(stream);
  }
  await context.audioWorklet.addModule('/js/worklet.js');
  const node = new AudioWorkletNode(context, 'gatherer', { numberOfOutputs: 0 });
  node.port.onmessage = ({ data }) => hear(new Uint8Array(data.sound.buffer), data.peak);
  source.connect(node);
  const close = () => {
    node.port.onmessage = null;
    for (const track of stream.getTracks()) track.stop();
    if (context.state !== 'closed') context.close();
  };
  return { rate: context.sampleRate, close, lost: (act) => { stream.getTracks()[0].onended = act; } };
}

/** One dictation. Sound may be put in before the program listens; what has not settled survives a restart of the program. */
export function dictation({ event, ended, away }) {
  let [session, run] = [crypto.randomUUID(), null];
  let rate = 16000;
  let kept = []; // pieces of sound from byte `begin` on
  let [begin, total, sent, origin] = [0, 0, 0, 0];
  let [isOpen, isBusy, isDone, isOver, tries] = [false, false, false, false, 0];

  function listen() {
    origin = begin;
    sent = begin;
    isOpen = false;
    run = start('listen', { session, rate, holds: true }, { event: take, ended: close });
  }

  function take(message) {
    if (message.opened) { isOpen = true; pump(); }
    if (message.final) forget(origin + (message.final.end / 1000) * rate * 2);
    event(message);
  }

  function close(how, failure) {
    // The program was restarted: what has not settled is said to the new one.
    if (failure?.code === 'interrupted' && !isOver && tries < 3) {
      tries += 1;
      session = crypto.randomUUID();
      listen();
      return;
    }
    // The program gives up on a microphone that sends nothing; here the person has not allowed it yet.
    if (how === 'done' && !isOver && !isDone && total === 0) {
      session = crypto.randomUUID();
      listen();
      return;
    }
    isOver = true;
    ended(how, failure);
  }

  function forget(place) {
    while (kept.length && begin + kept[0].length <= Math.min(place, sent)) begin += kept.shift().length;
  }

  function pending() {
    const bytes = [];
    let at = begin;
    for (const piece of kept) {
      if (at >= sent && bytes.length + piece.length <= 32768) bytes.push(...piece);
      else if (at >= sent) break;
      at += piece.length;
    }
    return bytes;
  }

  async function pump() {
    if (!isOpen || isBusy || isOver) return;
    const bytes = pending();
    const end = isDone && sent + bytes.length === total;
    if (!bytes.length && !end) return;
    isBusy = true;
    const mine = session;
    try {
      await call('listen-sound', { session, at: sent - origin, sound: btoa(String.fromCharCode(...bytes)), end });
      if (mine === session) sent += bytes.length;
      if (end) isOpen = false;
      away(false);
    } catch (failure) {
      if (failure.code === 'dictation_over') isOpen = false;
      else {
        away(failure.code === 'unreachable' || failure.status === 401);
        await new Promise((go) => setTimeout(go, 250));
      }
    }
    isBusy = false;
    pump();
  }

  listen();
  return {
    put(sound) {
      kept.push(sound);
      total += sound.length;
      // Two minutes are kept for a program that is away.
      while (kept.length > 3750) { begin += kept.shift().length; sent = Math.max(sent, begin); }
      pump();
    },
    rate(found) {
      if (found === rate) return;
      rate = found;
      const old = run;
      session = crypto.randomUUID();
      isOpen = false;
      old.leave();
      listen();
    },
    finish() { isDone = true; pump(); },
    cancel() { isOver = true; run.cancel(); },
    seconds: () => total / rate / 2,
  };
}
