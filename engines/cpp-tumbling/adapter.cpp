// A stranger's engine: tumbling windows in C++, behind the steps form of the wire. No JSON library.
// Late by window, late updates at once, accumulating: lateness "window" of the dialects.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <map>
#include <string>
#include <utility>
#include <vector>

// The scanner: where the value of a field begins in a flat JSON object; null if there is none.
static const char *field(const std::string &line, const char *name) {
    const char *at = std::strstr(line.c_str(), ("\"" + std::string(name) + "\":").c_str());
    return at ? at + std::strlen(name) + 3 + (at[std::strlen(name) + 3] == ' ') : nullptr;
}
static long long number(const std::string &line, const char *name) {
    const char *at = field(line, name);
    return at ? std::atoll(at) : 0;
}
static std::string text(const std::string &line, const char *name) {  // with its quotes; null if there is none
    const char *at = field(line, name);
    return at && *at == '"' ? std::string(at, std::strchr(at + 1, '"') + 1) : "null";
}

struct Item { long long time, value; };
struct State { std::vector<Item> items; bool emitted = false; };

class Engine {
    using Window = std::pair<long long, std::string>;  // its end, and its key
    std::map<Window, State> windows;
    long long size = 1, offset = 0, lateness = 0, watermark = -(1LL << 62);

    static long long floored(long long t, long long by) { return t - ((t % by) + by) % by; }

    void emit(const Window &window, State &state) const {
        std::stable_sort(state.items.begin(), state.items.end(), [](Item a, Item b) { return a.time < b.time; });
        std::cout << "{\"type\":\"result\",\"key\":" << window.second << ",\"start\":" << window.first - size
                  << ",\"end\":" << window.first << ",\"value\":[";
        for (size_t i = 0; i < state.items.size(); i++) std::cout << (i ? "," : "") << state.items[i].value;
        std::cout << "],\"kind\":\"" << (state.emitted ? "updated" : "new") << "\"}\n";
        state.emitted = true;
    }

  public:
    void start(const std::string &line) {
        *this = Engine();
        size = number(line, "size"), offset = number(line, "offset"), lateness = number(line, "allowed_lateness");
    }
    void event(long long time, long long value, const std::string &key) {
        const Window window{floored(time - offset, size) + offset + size, key};
        if (window.first + lateness <= watermark) {
            std::cout << "{\"type\":\"late\",\"v\":" << value << "}\n";
            return;
        }
        State &state = windows[window];
        state.items.push_back({time, value});
        if (window.first <= watermark) emit(window, state);
    }
    void advance(long long to) {
        watermark = std::max(watermark, to);
        for (auto &[window, state] : windows)
            if (window.first <= watermark && !state.emitted) emit(window, state);
        while (!windows.empty() && windows.begin()->first.first + lateness <= watermark) windows.erase(windows.begin());
    }
};

int main() {
    Engine engine;
    for (std::string line; std::getline(std::cin, line);) {
        const std::string op = text(line, "op");
        if (op == "\"hello\"") {
            std::cout << "{\"type\":\"hello\",\"engine\":\"cpp-tumbling\",\"version\":\"1\",\"form\":\"steps\",\"windows\":\"tumbling\","
                         "\"outputs\":\"accumulate\",\"clock\":\"explicit\",\"level\":\"steps\",\"late\":1,\"kinds\":1,\"lateness\":1,"
                         "\"offsets\":1}" << std::endl;
            continue;
        }
        if (op == "\"start\"") engine.start(line);
        if (op == "\"event\"") engine.event(number(line, "t"), number(line, "v"), text(line, "key"));
        if (op == "\"watermark\"") engine.advance(number(line, "t"));
        if (op == "\"end\"") engine.advance(1LL << 61);
        std::cout << "{\"type\":\"done\",\"id\":" << number(line, "id") << "}" << std::endl;
    }
}
