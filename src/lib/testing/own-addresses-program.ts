/**
 * Prints which addresses are this machine's, before and after its interfaces get some. It runs in a network of its own.
 */
import { isOwnAddress, isRemotePublicAddress } from "../net/own-address.ts";
import { giveAddress, ip } from "./own-network.ts";

const ADDRESSES = ["9.9.9.77", "::ffff:9.9.9.77", "2a00::7", "8.7.1.1", "9.9.9.78", "2a00::8", "127.0.0.5", "::1", "x"];

const own = (): string[] => ADDRESSES.filter(isOwnAddress);
const remote = (): string[] => ADDRESSES.filter(isRemotePublicAddress);

const before = { own: own(), remote: remote() };
giveAddress("9.9.9.77");
giveAddress("2a00::7");
// No interface lists this address, but the kernel delivers its packets to this machine.
ip("route", "add", "local", "8.7.0.0/16", "dev", "lo");
const after = { own: own(), remote: remote() };
ip("addr", "del", "9.9.9.77/32", "dev", "lo");
console.log(JSON.stringify({ before, after, given: own() }));
