-- Requests of many clients: the query, the cookie and the user agent differ. They are made before the load begins, so that wrk
-- stays faster than the proxies.
local REQUESTS = 997
local AGENTS = {
  "curl/8.5.0",
  "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0",
  "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Safari/605.1.15",
  "python-requests/2.32.3",
  "Go-http-client/1.1",
}
local requests = {}
local next = 0

init = function()
  local path = wrk.path
  for n = 1, REQUESTS do
    wrk.headers["User-Agent"] = AGENTS[n % #AGENTS + 1]
    wrk.headers["Accept"] = "*/*"
    wrk.headers["Cookie"] = n % 3 == 0 and "session=" .. string.format("%08x", n * 2654435761 % 4294967296) or nil
    requests[n] = wrk.format("GET", path .. "?page=" .. n)
  end
end

request = function()
  next = next % REQUESTS + 1
  return requests[next]
end
