//! A filter for the Turnpike ABI without any SDK: lets requests through that have a key.
#![no_std]

#[link(wasm_import_module = "env")]
extern "C" {
    fn get_header(name: *const u8, length: usize, out: *mut u8, capacity: usize) -> usize;
    fn respond(status: u32, body: *const u8, length: usize);
}

/// What `on_request` returns.
const ALLOW: i32 = 0;
const REJECT: i32 = 1;

/// The first value of a field; `None` if it is absent or does not fit.
fn header<'a>(name: &str, buffer: &'a mut [u8]) -> Option<&'a [u8]> {
    let length = unsafe { get_header(name.as_ptr(), name.len(), buffer.as_mut_ptr(), buffer.len()) };
    if length == 0 {
        return None;
    }
    buffer.get(..length)
}

#[no_mangle]
pub extern "C" fn on_request() -> i32 {
    let mut buffer = [0u8; 128];
    match header("x-api-key", &mut buffer) {
        Some(b"open sesame") => ALLOW,
        _ => {
            let body = "key required";
            unsafe { respond(401, body.as_ptr(), body.len()) };
            REJECT
        }
    }
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    core::arch::wasm32::unreachable()
}
